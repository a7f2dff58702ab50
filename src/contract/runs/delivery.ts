// PUT /v1/ci/runs/{runID}/delivery: what a job did with the results of its run, in the job's own words, and how the run's record
// shows it. Pure.
// Why: docs/decisions/155-the-job-reports-what-it-delivered.md

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { text } from "../fields.ts";
import { commitNameSchema, MAX_PULL_REQUEST_NUMBER } from "./pull-request.ts";

const MAX_TITLE_CHARS = 300;
const MAX_BRANCH_CHARS = 255;
const MAX_URL_CHARS = 2_000;
const MAX_WORD_CHARS = 40;
const MAX_FINDINGS_COUNT = 100_000;

const httpsUrlSchema = z
  .string()
  .check(
    z.maxLength(MAX_URL_CHARS),
    z.refine(isHttpsAddress, "must be an address that begins with https://, of printable characters"),
  );
const count = z.int().check(z.minimum(0), z.maximum(MAX_FINDINGS_COUNT));
const pullRequestNumber = z.int().check(z.minimum(1), z.maximum(MAX_PULL_REQUEST_NUMBER));

const pushed = {
  branch: field(text(MAX_BRANCH_CHARS), "The branch, by its plain name."),
  sha: field(commitNameSchema, "Its new commit."),
  url: field(z.optional(httpsUrlSchema), "The commit at the code host."),
};
const pullRequest = {
  number: field(pullRequestNumber, "Its number."),
  url: field(httpsUrlSchema, "Its address."),
};
const checkRun = {
  url: field(httpsUrlSchema, "Its address."),
  conclusion: field(text(MAX_WORD_CHARS), "Its conclusion, as the code host has it."),
};
const findings = {
  pull_request: field(pullRequestNumber, "The pull request that was reviewed."),
  new: field(
    count,
    "Findings that no earlier review had. Another attempt of the same job has those that the first has published among `open`.",
  ),
  open: field(count, "Findings of earlier reviews that are still open: `new` is not among them."),
  fixed: field(
    count,
    "Findings of earlier reviews that are fixed now, whichever review they were fixed before.",
  ),
  declined: field(count, "Findings of earlier reviews that people have declined, up to now."),
  withdrawn: field(count, "Findings of earlier reviews that this one or another has withdrawn, up to now."),
};
const FINDINGS =
  "Every finding that reviews of the pull request have published up to now, each in one of five counts: those of a later review take " +
  "their place, and are not added. One whose comment was deleted, or whose file this review leaves out, is in none.";

const what = {
  conclusion: field(text(MAX_WORD_CHARS), "The job's conclusion, as its output `conclusion`."),
  title: field(
    text(MAX_TITLE_CHARS),
    "The outcome in a few words, such as `Pushed 42c63fe to topic`. Plain text.",
  ),
};
const commentUrl = field(z.optional(httpsUrlSchema), "The comment that has the reply.");

export const reportDeliveryRequestSchema = strictObject({
  ...what,
  pushed: field(z.optional(strictObject(pushed)), "The commit that has the run's changes."),
  pull_request: field(z.optional(strictObject(pullRequest)), "The pull request that was opened or updated."),
  comment_url: commentUrl,
  check_run: field(z.optional(strictObject(checkRun)), "The check run of a review."),
  findings: field(z.optional(strictObject(findings)), FINDINGS),
});

export type DeliveryReport = z.infer<typeof reportDeliveryRequestSchema>;
export const reportedDeliverySchema = object({
  state: field(z.literal("reported"), "The job has reported."),
  at: field(z.iso.datetime(), "When it did."),
  ...what,
  pushed: field(z.optional(object(pushed)), "The commit that has the run's changes."),
  pull_request: field(z.optional(object(pullRequest)), "The pull request that was opened or updated."),
  comment_url: commentUrl,
  check_run: field(z.optional(object(checkRun)), "The check run of a review."),
  findings: field(z.optional(object(findings)), FINDINGS),
});

export const runDeliverySchema = z.discriminatedUnion("state", [
  object({
    state: field(z.literal("expected"), "The job that asked for the run is to report, and has not yet."),
  }),
  reportedDeliverySchema,
]);

export type RunDelivery = z.infer<typeof runDeliverySchema>;

/** It is linked to: one line, of the web, encrypted. */
function isHttpsAddress(address: string): boolean {
  return !/[^!-~]/.test(address) && URL.canParse(address) && new URL(address).protocol === "https:";
}
