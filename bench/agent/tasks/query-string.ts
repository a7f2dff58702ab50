// Query strings: a key that is given twice.

import type { FixTask } from "../task.ts";

export const queryString: FixTask = {
  kind: "bug_report",
  toolchain: "node",
  term: "parseQuery",
  prompt:
    'Bug report: `parseQuery("tag=a&tag=b")` gives `{ tag: "b" }`. A key that is given more than once should give the list of its values, in their order; a key that is given once stays a text. A plus sign should be a space, as in forms. Fix it.',
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/parse-query.mjs": `export function parseQuery(query) {
  const values = {};
  for (const pair of query.split("&").filter((part) => part !== "")) {
    const [name, value = ""] = pair.split("=");
    values[decodeURIComponent(name)] = decodeURIComponent(value);
  }
  return values;
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { parseQuery } from "./src/parse-query.mjs";

assert.deepEqual(parseQuery("a=1&b=x%20y&c"), { a: "1", b: "x y", c: "" });
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { parseQuery } from "./src/parse-query.mjs";

assert.deepEqual({ ...parseQuery("a=1&b=x%20y&c") }, { a: "1", b: "x y", c: "" });
assert.deepEqual({ ...parseQuery("tag=a&x=1&tag=b&tag=c") }, { tag: ["a", "b", "c"], x: "1" });
assert.deepEqual({ ...parseQuery("q=red+shoes&sum=1%2B1") }, { q: "red shoes", sum: "1+1" });
assert.deepEqual({ ...parseQuery("") }, {});
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/parse-query.mjs": `export function parseQuery(query) {
  const values = {};
  for (const pair of query.split("&").filter((part) => part !== "")) {
    const [name, value = ""] = pair.split("=").map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    values[name] = name in values ? [values[name], value].flat() : value;
  }
  return values;
}
`,
  },
};
