// Which replies and records say that checks pass.

import { describe, expect, it } from "vitest";
import { claimsPassed } from "../../../../src/service/executor/attempts/claimed-checks.ts";

const says = (reply: string) => claimsPassed({ reply, checks: null });

describe("an attempt says that its checks pass", () => {
  it.each([
    "All tests pass.",
    "Fixed the race. The whole suite is green!",
    "I ran `npm test`: the tests passed",
    "Done.\n- The build succeeds\n- lint is clean",
  ])("by %j", (reply) => {
    expect(says(reply)).toBe(true);
  });

  it.each([
    "I changed the parser.",
    "Not checked: there are no tests to pass.",
    "The tests do not pass yet.",
    "Two tests fail, all others pass.",
    "The tests should pass once the server is there.",
    "Checks fail: the file is not right yet.",
    "I passed the flag on to the server.",
    "",
  ])("not by %j", (reply) => {
    expect(says(reply)).toBe(false);
  });

  it("by its record, whatever its reply is", () => {
    const checks = (state: "passed" | "failed" | "none") => ({ state, results: [] });
    expect(claimsPassed({ reply: "Done.", checks: checks("passed") })).toBe(true);
    expect(claimsPassed({ reply: "Done.", checks: checks("failed") })).toBe(false);
    expect(claimsPassed({ reply: "All tests pass.", checks: checks("failed") })).toBe(true);
  });

  it("in no time that depends on a hostile reply", () => {
    const reply = "tests ".repeat(1_000_000);
    expect(says(reply)).toBe(false);
  });
});
