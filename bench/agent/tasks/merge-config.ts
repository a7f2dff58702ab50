// Settings: merging changes the defaults.

import type { FixTask } from "../task.ts";

export const mergeConfig: FixTask = {
  kind: "failing_test",
  toolchain: "node",
  term: "mergeConfig",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/defaults.mjs": `export const defaults = { retries: 3, server: { host: "localhost", port: 80 } };
`,
    "src/merge-config.mjs": `import { defaults } from "./defaults.mjs";

/** The defaults with what is given, at every depth. */
export function mergeConfig(given, onto = defaults) {
  for (const [name, value] of Object.entries(given)) {
    onto[name] = isObject(value) && isObject(onto[name]) ? mergeConfig(value, onto[name]) : value;
  }
  return onto;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { mergeConfig } from "./src/merge-config.mjs";

assert.deepEqual(mergeConfig({ server: { port: 8080 } }), { retries: 3, server: { host: "localhost", port: 8080 } });
assert.deepEqual(mergeConfig({}), { retries: 3, server: { host: "localhost", port: 80 } });
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { defaults } from "./src/defaults.mjs";
import { mergeConfig } from "./src/merge-config.mjs";

const before = structuredClone(defaults);
const merged = mergeConfig({ server: { port: 8080 }, retries: 0 });
assert.deepEqual(merged, { retries: 0, server: { host: "localhost", port: 8080 } });
assert.deepEqual(defaults, before);
assert.equal(mergeConfig({ server: null }).server, null);
assert.deepEqual(defaults, before);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/merge-config.mjs": `import { defaults } from "./defaults.mjs";

/** The defaults with what is given, at every depth. */
export function mergeConfig(given, onto = defaults) {
  const merged = { ...onto };
  for (const [name, value] of Object.entries(given)) {
    merged[name] = isObject(value) && isObject(onto[name]) ? mergeConfig(value, onto[name]) : value;
  }
  return merged;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
`,
  },
};
