// Comma-separated values: quoted fields are split.

import type { FixTask } from "../task.ts";

export const csvFields: FixTask = {
  kind: "failing_test",
  toolchain: "node",
  term: "parseLine",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/csv.mjs": `/** The fields of one line. A field in quotes may hold commas; two quotes in it are one. */
export function parseLine(line) {
  return line.split(",").map((field) => field.replaceAll('"', ""));
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { parseLine } from "./src/csv.mjs";

assert.deepEqual(parseLine("a,b,c"), ["a", "b", "c"]);
assert.deepEqual(parseLine('1,"Doe, Jane",3'), ["1", "Doe, Jane", "3"]);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { parseLine } from "./src/csv.mjs";

assert.deepEqual(parseLine("a,,c,"), ["a", "", "c", ""]);
assert.deepEqual(parseLine('1,"Doe, Jane",3'), ["1", "Doe, Jane", "3"]);
assert.deepEqual(parseLine('"say ""hi""",2'), ['say "hi"', "2"]);
assert.deepEqual(parseLine('"",x'), ["", "x"]);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/csv.mjs": `/** The fields of one line. A field in quotes may hold commas; two quotes in it are one. */
export function parseLine(line) {
  const fields = [];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at];
    if (char === '"' && isQuoted && line[at + 1] === '"') {
      field += char;
      at += 1;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (char === "," && !isQuoted) {
      fields.push(field);
      field = "";
    } else field += char;
  }
  return [...fields, field];
}
`,
  },
};
