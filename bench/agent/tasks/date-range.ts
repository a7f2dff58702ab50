// Days of a range: the last one is missing.

import type { FixTask } from "../task.ts";

export const dateRange: FixTask = {
  kind: "failing_test",
  toolchain: "node",
  term: "daysBetween",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/days.mjs": `const DAY_MS = 86_400_000;

/** Every day from the first to the last, both of them included, as YYYY-MM-DD. */
export function daysBetween(first, last) {
  const days = [];
  for (let at = Date.parse(first); at < Date.parse(last); at += DAY_MS) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}
`,
    "src/weekend.mjs": `import { daysBetween } from "./days.mjs";

export function weekendDays(first, last) {
  return daysBetween(first, last).filter((day) => [0, 6].includes(new Date(day).getUTCDay()));
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { weekendDays } from "./src/weekend.mjs";

assert.deepEqual(weekendDays("2026-01-01", "2026-01-04"), ["2026-01-03", "2026-01-04"]);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { daysBetween } from "./src/days.mjs";
import { weekendDays } from "./src/weekend.mjs";

assert.deepEqual(daysBetween("2026-02-27", "2026-03-01"), ["2026-02-27", "2026-02-28", "2026-03-01"]);
assert.deepEqual(daysBetween("2026-01-01", "2026-01-01"), ["2026-01-01"]);
assert.deepEqual(weekendDays("2026-01-01", "2026-01-04"), ["2026-01-03", "2026-01-04"]);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/days.mjs": `const DAY_MS = 86_400_000;

/** Every day from the first to the last, both of them included, as YYYY-MM-DD. */
export function daysBetween(first, last) {
  const days = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}
`,
  },
};
