import { beforeAll, expect, it } from "vitest";

beforeAll(() => {
  throw new Error("The file's own set-up fails.");
});

it("is not run", () => {
  expect(true).toBe(true);
});
