// The attempts of a run that makes several at the same task, and the event that tells how they ended. Pure.

import * as z from "zod/mini";
import { field, object } from "../field.ts";
import { checkResultSchema, checksStates } from "./checks.ts";

export const ATTEMPTS_EVENT = "attempts";

/** Attempts of one run, at most. */
export const MAX_ATTEMPTS = 5;
export const MAX_MODEL_CHARS = 255;
const MAX_REASON_CHARS = 1_000;

export const attemptStates = ["running", "completed", "failed", "cancelled", "not_started"] as const;

export const attemptOutcomes = [
  "pending",
  "only_one_left",
  "chosen_by_judge",
  "same_changes",
  "fewest_changes",
  "not_chosen",
  "checks_failed",
  "claimed_checks_passed",
  "too_late",
  "failed",
  "not_started",
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

const attemptSchema = object({
  number: field(z.int().check(z.minimum(1), z.maximum(MAX_ATTEMPTS)), "Its number, from 1."),
  run_id: field(z.string(), "The run that it is, a child of this one."),
  model: field(
    z.nullable(z.string().check(z.maxLength(MAX_MODEL_CHARS))),
    "The model that it asked; null where that is the service's default.",
  ),
  state: field(
    z.enum(attemptStates),
    "`running`, how it ended (`completed`, `failed`, `cancelled`), or `not_started`: too little of the budget was left for it.",
  ),
  files: field(z.nullable(z.int()), "Files that it changed; null before its end, and where nobody knows."),
  checks: field(
    z.nullable(
      object({
        state: field(
          z.enum(checksStates),
          "`passed`: each of them ended well. `failed`: one did not. `none`: none was executed.",
        ),
        results: field(z.array(checkResultSchema).check(z.maxLength(20)), "Each command and how it ended."),
      }),
    ),
    "The repository's own checks, as the service executed them on a fresh copy with the changes of the attempt. Null where it did not compete.",
  ),
  claims_passed: field(
    z.boolean(),
    "Whether the attempt itself says that its checks passed: by its record or by its reply.",
  ),
  cost_usd: field(z.nullable(z.number()), "What its models cost, in US dollars; null where it is not known."),
  seconds: field(z.nullable(z.number()), "From its start to its end; null before its end."),
  is_chosen: field(z.boolean(), "Whether the run's reply and changes are this attempt's."),
  outcome: field(
    z.enum(attemptOutcomes),
    "Why it was chosen: `only_one_left` (of those that could be chosen), `chosen_by_judge`, `same_changes` (all that were left had changed the same), `fewest_changes` (the judge gave no answer). Why it was not: `not_chosen` (by the judge), `checks_failed`, `claimed_checks_passed` (it said that they pass, and they fail), `too_late` (cancelled), `failed`, `not_started`. Or `pending`.",
  ),
  detail: field(
    z.optional(z.string().check(z.maxLength(MAX_REASON_CHARS))),
    "More of the reason, in one line: why it failed.",
  ),
});
export type Attempt = z.infer<typeof attemptSchema>;

/**
 * The attempts of a run with `best_of`: when they were begun, and again when one was chosen. The last one counts.
 */
export const attemptsEventSchema = object({
  type: field(z.literal("CUSTOM"), "What happened."),
  name: field(z.literal(ATTEMPTS_EVENT), "Which event of this service's own it is."),
  value: field(
    object({
      attempts: field(
        z.array(attemptSchema).check(z.maxLength(MAX_ATTEMPTS)),
        "Each attempt, by its number.",
      ),
      judge: field(
        z.nullable(
          object({
            run_id: field(z.string(), "The run of the judge, a child of this one."),
            cost_usd: field(
              z.nullable(z.number()),
              "What the judge cost, in US dollars; null where it is not known.",
            ),
            reason: field(
              z.nullable(z.string().check(z.maxLength(MAX_REASON_CHARS))),
              "Why it chose as it did, in its words; null where it gave no answer.",
            ),
          }),
        ),
        "The judge, which sees neither the numbers of the attempts nor their models. Null where none was needed, and before it is asked.",
      ),
    }),
    "What the event says; for `output` the reply as data.",
  ),
});

export type AttemptsEvent = z.infer<typeof attemptsEventSchema>;
