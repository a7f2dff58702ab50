import { afterAll, beforeAll, describe, expect, it } from "vitest";

describe("a set-up that fails", () => {
  beforeAll(() => {
    throw new Error("The database is out of connections.");
  });

  it("is not run", () => {
    expect(true).toBe(true);
  });
});

describe("a tear-down that fails", () => {
  afterAll(() => {
    throw new Error("The ledger does not sum to zero.");
  });

  it("passes", () => {
    expect(true).toBe(true);
  });
});

it("fails by itself", () => {
  expect(true).toBe(false);
});
