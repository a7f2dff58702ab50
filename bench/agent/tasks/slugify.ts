// Slugs: letters with accents are lost.

import type { FixTask } from "../task.ts";

export const slugify: FixTask = {
  kind: "failing_test",
  toolchain: "node",
  term: "slugify",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/slugify.mjs": `export function slugify(title) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { slugify } from "./src/slugify.mjs";

assert.equal(slugify("Hello, World!"), "hello-world");
assert.equal(slugify("Crème brûlée"), "creme-brulee");
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { slugify } from "./src/slugify.mjs";

assert.equal(slugify("Crème brûlée"), "creme-brulee");
assert.equal(slugify("  Ångström & Co. "), "angstrom-co");
assert.equal(slugify("already-a-slug"), "already-a-slug");
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/slugify.mjs": `export function slugify(title) {
  return title
    .normalize("NFD")
    .replace(/\\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
`,
  },
};
