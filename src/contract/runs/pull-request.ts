// The pull request whose head a run is to work on, as a CI job names it. Pure.

import * as z from "zod/mini";
import { field, strictObject } from "../field.ts";

export const MAX_PULL_REQUEST_NUMBER = 2_147_483_647;
const MAX_BRANCH_CHARS = 255;

/** A whole commit name, SHA-1 or SHA-256. */
export const commitNameSchema = z
  .string()
  .check(
    z.regex(
      /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/,
      "must be a whole commit name: 40 or 64 hexadecimal digits, in lower case",
    ),
  );

/**
 * Asks that the run works on the head of a pull request, or merge request, of the job's own repository, where the
 * job's token names another commit: a job of a comment is one of the default branch. `head_sha` has to be in the
 * history of that head still. `base_ref` is the branch that the pull request goes to, by its plain name: the
 * repository's instructions to agents are read there, and what is changed is what differs from there. `base_sha` is that
 * branch's newest commit as the job found it: read where the job has sent the commits, since nothing is fetched then.
 */
export const pullRequestSchema = strictObject({
  number: field(z.int().check(z.minimum(1), z.maximum(MAX_PULL_REQUEST_NUMBER)), "Its number."),
  head_sha: field(
    commitNameSchema,
    "The whole name of the commit at its head. It must still be in the history of that head.",
  ),
  base_ref: field(
    z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(MAX_BRANCH_CHARS),
        z.refine(
          isBranchName,
          'must be the plain name of a branch, as "main" is: without "refs/heads/", and a name that git allows',
        ),
      ),
    "The branch that it goes to, by its plain name, such as `main`.",
  ),
  base_sha: field(
    z.optional(commitNameSchema),
    "That branch's newest commit. Read where the job has sent the commits itself: nothing is fetched then.",
  ),
});

export type PullRequest = z.infer<typeof pullRequestSchema>;

/** As `git check-ref-format --branch` has it, but for names that stand for another; and no whole ref. */
export function isBranchName(text: string): boolean {
  if (text.startsWith("-") || text.startsWith("refs/") || text === "@" || text === "HEAD") return false;
  if (text.includes("..") || text.includes("@{") || text.endsWith(".")) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids them
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(text)) return false;
  return text.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}
