import { describe, expect, it } from "vitest";

describe("a suite that needs what is missing", { tags: ["postgres"] }, () => {
  it("is skipped, and named", () => {
    expect(true).toBe(false);
  });
});

it("needs what nothing installs, and what is missing", { tags: ["long", "postgres"] }, () => {
  expect(true).toBe(false);
});
