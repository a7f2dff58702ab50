import { it } from "vitest";

it("passes, and leaves two rejections that nothing handles", async () => {
  Promise.reject(new Error("the first"));
  Promise.reject(new Error("the second"));
  await new Promise((resolve) => setImmediate(resolve));
});
