// Retries: one attempt too many.

import type { FixTask } from "../task.ts";

export const retryAttempts: FixTask = {
  kind: "failing_test",
  toolchain: "node",
  term: "attempts",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/retry.mjs": `/** Calls until it succeeds, at most \`attempts\` times; then rejects with the last error. */
export async function retry(call, attempts, sleep) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt > attempts) throw error;
      await sleep(100 * 2 ** (attempt - 1));
    }
  }
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { retry } from "./src/retry.mjs";

let calls = 0;
const fail = async () => {
  calls += 1;
  throw new Error("down");
};
await assert.rejects(retry(fail, 3, async () => {}), /down/);
assert.equal(calls, 3);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { retry } from "./src/retry.mjs";

for (const attempts of [1, 2, 4]) {
  let calls = 0;
  const slept = [];
  const fail = async () => {
    calls += 1;
    throw new Error("down");
  };
  await assert.rejects(retry(fail, attempts, async (ms) => slept.push(ms)), /down/);
  assert.equal(calls, attempts);
  assert.deepEqual(slept, [100, 200, 400].slice(0, attempts - 1));
}
assert.equal(await retry(async () => 7, 1, async () => {}), 7);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/retry.mjs": `/** Calls until it succeeds, at most \`attempts\` times; then rejects with the last error. */
export async function retry(call, attempts, sleep) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= attempts) throw error;
      await sleep(100 * 2 ** (attempt - 1));
    }
  }
}
`,
  },
};
