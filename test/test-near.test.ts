import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProcessTests, openNearestTests } from "../scripts/nearest-tests.ts";
import { chooseTests } from "../scripts/test-near.ts";

it("puts the tests first that import the source, then those of the nearest names", () => {
  const nearest = openNearestTests(join(import.meta.dirname, ".."));
  expect(nearest("src/ci/minted-token.ts")[0]).toBe("test/ci/minted-token.test.ts");
  // Only a process of the built Action meets it.
  expect(nearest("src/gitlab/reviews/draft-review.ts")[0]).toMatch(/gitlab/);
});

it("knows the tests that start what is built", () => {
  const found = findProcessTests(join(import.meta.dirname, ".."));
  expect(found).toContain("test/scenarios/modes.test.ts");
  expect(found).toContain("test/service/taken-up-runs.test.ts");
  expect(found).not.toContain("test/job/conclusion.test.ts");
  expect(found).not.toContain("test/service/core/agents/agents.test.ts");
  const tests = [...found].filter((file) => file.endsWith(".test.ts"));
  expect(tests.length).toBeGreaterThan(100);
  expect(tests.length).toBeLessThan(400);
});

describe("the tests near to a change", () => {
  const nearest = (source: string): string[] => [
    `test/${source}.test.ts`,
    "test/all.test.ts",
    "test/last.test.ts",
  ];

  it("are those that were changed, then the nearest to each changed source in turn", () => {
    expect(chooseTests(["a", "test/own.test.ts", "b"], { nearest, count: 4 })).toEqual([
      "test/own.test.ts",
      "test/a.test.ts",
      "test/b.test.ts",
      "test/all.test.ts",
    ]);
  });

  it("are as many as may be", () => {
    expect(chooseTests(["a", "b"], { nearest, count: 1 })).toEqual(["test/a.test.ts"]);
    expect(chooseTests(["a"], { nearest, count: 9 })).toHaveLength(3);
    expect(chooseTests([], { nearest, count: 9 })).toEqual([]);
  });
});
