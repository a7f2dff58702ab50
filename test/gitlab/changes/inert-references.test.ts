import { describe, expect, it } from "vitest";
import { withoutClosingWords, withoutMergeRequests } from "../../../src/gitlab/changes/inert-references.ts";

/** As GitLab publishes its pattern, for issues of a project by number. */
const CLOSES =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +(?:issues? +)?(?:[\w./-]*#\d|https?:)/i;

describe("text that closes nothing on GitLab", () => {
  it.each([
    "Closes #4",
    "closes issue #4",
    "Fixes: #4 and implements group/project#5",
    "Resolving issues #4",
    "fixing https://gitlab.example.com/g/p/-/issues/4",
  ])("of %j", (text) => {
    expect(text).toMatch(CLOSES);
    expect(withoutClosingWords(text)).not.toMatch(CLOSES);
  });

  it("stays as it is without a reference", () => {
    const text = "It closes the file, fixes 4 faults and resolves names.";
    expect(withoutClosingWords(text)).toBe(text);
    expect(withoutMergeRequests("Look at !5, now!")).toBe("Look at No. 5, now!");
  });
});
