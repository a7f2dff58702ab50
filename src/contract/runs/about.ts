// The subject of a run: the request's first words, who asked, and where. As a job says it, and as the run's record has it. Pure.
// Why: docs/decisions/155-the-job-reports-what-it-delivered.md

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { text } from "../fields.ts";
import { MAX_PULL_REQUEST_NUMBER } from "./pull-request.ts";

export const MAX_REQUEST_CHARS = 160;
const MAX_ACTOR_CHARS = 100;

export const subjectTypes = ["issue", "pull_request", "discussion"] as const;
export type SubjectType = (typeof subjectTypes)[number];

const number = z.int().check(z.minimum(1), z.maximum(MAX_PULL_REQUEST_NUMBER));
const subjectType = field(z.enum(subjectTypes), "What it is.");

export const aboutRequestSchema = strictObject({
  request: field(
    z.optional(text(MAX_REQUEST_CHARS)),
    "The first words of the request, on one line, without what the job adds to it. Left out: those of the message.",
  ),
  actor: field(z.optional(text(MAX_ACTOR_CHARS)), "Who asked, as the code host names them."),
  subject: field(
    z.optional(strictObject({ type: subjectType, number: field(number, "Its number.") })),
    "What the request was made on.",
  ),
});

export type AboutRequest = z.infer<typeof aboutRequestSchema>;

const url = z.optional(z.string());

export const runAboutSchema = object({
  request: field(
    z.optional(z.string()),
    "The first words of the request, on one line. Absent once the run's input is deleted.",
  ),
  actor: field(
    z.optional(z.string()),
    "Who asked, as the code host names them: the job's word; or the name of the person of the account. Absent where nobody says it.",
  ),
  person_id: field(
    z.optional(z.string()),
    "The person of the account who started it, or for whom an AI client or a schedule did.",
  ),
  event: field(z.optional(z.string()), "What started the job, by its provider's name."),
  repository: field(z.optional(z.string()), "`owner/name` when the run was asked for."),
  repository_url: field(url, "Its page. Addresses are made where the code host is known."),
  ref: field(z.optional(z.string()), "The branch, or another ref, of the commit."),
  commit: field(z.optional(z.string()), "The commit that the run works on."),
  commit_url: field(url, "The commit's page."),
  subject: field(
    z.optional(
      object({
        type: subjectType,
        number: field(number, "Its number."),
        url: field(url, "Its page."),
      }),
    ),
    "The issue, pull request or discussion that the request was made on.",
  ),
});

export type RunAbout = z.infer<typeof runAboutSchema>;
