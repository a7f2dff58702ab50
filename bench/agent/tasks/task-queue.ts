// A queue: one task that fails takes all later ones with it.

import type { FixTask } from "../task.ts";

export const taskQueue: FixTask = {
  kind: "failing_test",
  toolchain: "node",
  term: "TaskQueue",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/task-queue.mjs": `/** Executes tasks one after the other. Each add resolves or rejects as its task does. */
export class TaskQueue {
  #last = Promise.resolve();

  add(task) {
    const done = this.#last.then(task);
    this.#last = done;
    return done;
  }
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { TaskQueue } from "./src/task-queue.mjs";

const queue = new TaskQueue();
const failed = queue.add(async () => {
  throw new Error("no");
});
const later = queue.add(async () => 2);
await assert.rejects(failed, /no/);
assert.equal(await later, 2);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { TaskQueue } from "./src/task-queue.mjs";

const queue = new TaskQueue();
const order = [];
const failed = queue.add(async () => {
  order.push(1);
  throw new Error("no");
});
const later = queue.add(async () => {
  order.push(2);
  return "later";
});
await assert.rejects(failed, /no/);
assert.equal(await later, "later");
await queue.add(() => order.push(3));
assert.deepEqual(order, [1, 2, 3]);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/task-queue.mjs": `/** Executes tasks one after the other. Each add resolves or rejects as its task does. */
export class TaskQueue {
  #last = Promise.resolve();

  add(task) {
    const done = this.#last.then(task);
    this.#last = done.catch(() => {});
    return done;
  }
}
`,
  },
};
