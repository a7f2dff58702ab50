// An event emitter: a listener is skipped.

import type { FixTask } from "../task.ts";

export const emitterOnce: FixTask = {
  kind: "bug_report",
  toolchain: "node",
  term: "emit",
  prompt:
    "Bug report: when two listeners are added with `once`, one `emit` calls only the first of them. Fix it.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/emitter.mjs": `export class Emitter {
  #listeners = new Map();

  on(event, listener) {
    const listeners = this.#listeners.get(event) ?? [];
    listeners.push(listener);
    this.#listeners.set(event, listeners);
  }

  off(event, listener) {
    const listeners = this.#listeners.get(event) ?? [];
    const at = listeners.indexOf(listener);
    if (at !== -1) listeners.splice(at, 1);
  }

  once(event, listener) {
    const wrapped = (value) => {
      this.off(event, wrapped);
      listener(value);
    };
    this.on(event, wrapped);
  }

  emit(event, value) {
    for (const listener of this.#listeners.get(event) ?? []) listener(value);
  }
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { Emitter } from "./src/emitter.mjs";

const emitter = new Emitter();
const seen = [];
emitter.on("a", (value) => seen.push(value));
emitter.emit("a", 1);
assert.deepEqual(seen, [1]);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { Emitter } from "./src/emitter.mjs";

const emitter = new Emitter();
const seen = [];
emitter.once("a", () => seen.push("first"));
emitter.once("a", () => seen.push("second"));
emitter.on("a", () => seen.push("always"));
emitter.emit("a");
assert.deepEqual(seen, ["first", "second", "always"]);
emitter.emit("a");
assert.deepEqual(seen, ["first", "second", "always", "always"]);
emitter.emit("nobody");
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/emitter.mjs": `export class Emitter {
  #listeners = new Map();

  on(event, listener) {
    const listeners = this.#listeners.get(event) ?? [];
    listeners.push(listener);
    this.#listeners.set(event, listeners);
  }

  off(event, listener) {
    const listeners = this.#listeners.get(event) ?? [];
    const at = listeners.indexOf(listener);
    if (at !== -1) listeners.splice(at, 1);
  }

  once(event, listener) {
    const wrapped = (value) => {
      this.off(event, wrapped);
      listener(value);
    };
    this.on(event, wrapped);
  }

  emit(event, value) {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(value);
  }
}
`,
  },
};
