// A cart: the discount is taken from the wrong amount.

import type { FixTask } from "../task.ts";

export const cartTotal: FixTask = {
  kind: "failing_test",
  toolchain: "node",
  term: "discountPercent",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "package.json": `{ "type": "module", "scripts": { "test": "node test.mjs" } }
`,
    "src/cart.mjs": `export function total(items, discountPercent = 0) {
  let cents = 0;
  for (const { price, quantity } of items) {
    cents += Math.round(price * 100) * quantity;
  }
  return (cents - discountPercent) / 100;
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { total } from "./src/cart.mjs";

assert.equal(total([{ price: 19.99, quantity: 2 }]), 39.98);
assert.equal(total([{ price: 10, quantity: 2 }], 10), 18);
console.log("all good");
`,
  },
  test: ["node", "test.mjs"],
  check: {
    "check.mjs": `import assert from "node:assert/strict";
import { total } from "./src/cart.mjs";

assert.equal(total([{ price: 10, quantity: 2 }], 10), 18);
assert.equal(total([{ price: 0.99, quantity: 3 }], 50), 1.49);
assert.equal(total([], 10), 0);
`,
  },
  command: ["node", "check.mjs"],
  solution: {
    "src/cart.mjs": `export function total(items, discountPercent = 0) {
  let cents = 0;
  for (const { price, quantity } of items) {
    cents += Math.round(price * 100) * quantity;
  }
  return Math.round((cents * (100 - discountPercent)) / 100) / 100;
}
`,
  },
};
