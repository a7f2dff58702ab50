// An attempt's own claim that its checks passed: by the record of its own checks, or by its reply. Pure. The reply is a model's text.

import type { ChecksEvent } from "../../../contract/runs/checks.ts";

type Said = { readonly reply: string; readonly checks: ChecksEvent["value"] | null };

const MAX_READ_CHARS = 20_000;

const checked = new Set(
  "test tests check checks build builds lint linter linters suite suites typecheck types specs ci".split(" "),
);
const passed = new Set(
  "pass passes passed passing green succeed succeeds succeeded succeeding successful successfully clean".split(
    " ",
  ),
);
/** A sentence with one of these says something else. */
const otherwise = new Set(
  "not cannot can't don't doesn't didn't won't isn't aren't wasn't weren't couldn't never no fail fails failed failing unless until should would could might may if when before untested unchecked".split(
    " ",
  ),
);

export function claimsPassed({ reply, checks }: Said): boolean {
  return checks?.state === "passed" || sentencesOf(reply).some(saysPassed);
}

function sentencesOf(reply: string): readonly (readonly string[])[] {
  const text = reply.slice(-MAX_READ_CHARS).toLowerCase().replaceAll("’", "'");
  return text.split(/[.!?;:\n]/).map((sentence) => sentence.split(/[^a-z']/));
}

function saysPassed(words: readonly string[]): boolean {
  const has = (ones: ReadonlySet<string>) => words.some((word) => ones.has(word));
  return has(checked) && has(passed) && !has(otherwise);
}
