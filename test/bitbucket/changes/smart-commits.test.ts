import { describe, expect, it } from "vitest";
import { withoutSmartCommits } from "../../../src/bitbucket/changes/smart-commits.ts";

describe("withoutSmartCommits", () => {
  it.each([
    ["DEV-7 #close", "DEV-7 close"],
    ["See A_B-12: #comment done #time 2w", "See A_B-12: comment done time 2w"],
    ["#resolve DEV-7", "resolve DEV-7"],
    ["Fix #7, and use #define", "Fix #7, and use #define"],
    ["DEV-7 is fixed in #8\n#include <a.h>", "DEV-7 is fixed in #8\n#include <a.h>"],
  ])("%j is %j", (text, expected) => {
    expect(withoutSmartCommits(text)).toBe(expected);
  });
});
