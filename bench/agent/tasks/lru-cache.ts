// A cache: reading an entry does not keep it.

import type { FixTask } from "../task.ts";

export const lruCache: FixTask = {
  kind: "failing_test",
  toolchain: "node",
  term: "LruCache",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/lru-cache.mjs": `export class LruCache {
  #entries = new Map();
  #size;

  constructor(size) {
    this.#size = size;
  }

  get(key) {
    return this.#entries.get(key);
  }

  set(key, value) {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#size) this.#entries.delete(this.#entries.keys().next().value);
  }
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { LruCache } from "./src/lru-cache.mjs";

const cache = new LruCache(2);
cache.set("a", 1);
cache.set("b", 2);
assert.equal(cache.get("a"), 1);
cache.set("c", 3);
assert.equal(cache.get("a"), 1, "what was read last stays");
assert.equal(cache.get("b"), undefined);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { LruCache } from "./src/lru-cache.mjs";

const cache = new LruCache(2);
cache.set("a", undefined);
cache.set("b", 2);
cache.get("a");
cache.get("missing");
cache.set("c", 3);
assert.equal(cache.get("b"), undefined);
assert.equal(cache.get("c"), 3);
cache.set("d", 4);
assert.equal(cache.get("c"), 3);
cache.set("e", 5);
assert.equal(cache.get("d"), undefined);
assert.equal(cache.get("c"), 3);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/lru-cache.mjs": `export class LruCache {
  #entries = new Map();
  #size;

  constructor(size) {
    this.#size = size;
  }

  get(key) {
    if (!this.#entries.has(key)) return undefined;
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key, value) {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#size) this.#entries.delete(this.#entries.keys().next().value);
  }
}
`,
  },
};
