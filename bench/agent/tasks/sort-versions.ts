// Versions: 1.10.0 before 1.9.0.

import type { FixTask } from "../task.ts";

export const sortVersions: FixTask = {
  kind: "bug_report",
  toolchain: "node",
  term: "sortVersions",
  prompt:
    'Bug report: `sortVersions(["1.10.0", "1.9.0"])` gives 1.10.0 first. Versions should be sorted by their numbers, oldest first, and a pre-release such as 2.0.0-beta before its release. Fix it.',
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/sort-versions.mjs": `/** Oldest first. */
export function sortVersions(versions) {
  return [...versions].sort();
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { sortVersions } from "./src/sort-versions.mjs";

assert.deepEqual(sortVersions(["2.0.0", "1.0.0"]), ["1.0.0", "2.0.0"]);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { sortVersions } from "./src/sort-versions.mjs";

assert.deepEqual(sortVersions(["1.10.0", "1.9.0", "1.9.10"]), ["1.9.0", "1.9.10", "1.10.0"]);
assert.deepEqual(sortVersions(["2.0.0", "2.0.0-beta", "1.99.0"]), ["1.99.0", "2.0.0-beta", "2.0.0"]);
const given = ["2.0.0", "1.0.0"];
sortVersions(given);
assert.deepEqual(given, ["2.0.0", "1.0.0"]);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/sort-versions.mjs": `/** Oldest first. */
export function sortVersions(versions) {
  return [...versions].sort((a, b) => compare(parse(a), parse(b)));
}

function parse(version) {
  const [release, label = null] = version.split(/-(.*)/);
  return { numbers: release.split(".").map(Number), label };
}

function compare(a, b) {
  for (const [at, number] of a.numbers.entries()) {
    if (number !== b.numbers[at]) return number - b.numbers[at];
  }
  if (a.label === b.label) return 0;
  if (a.label === null || b.label === null) return a.label === null ? 1 : -1;
  return a.label < b.label ? -1 : 1;
}
`,
  },
};
