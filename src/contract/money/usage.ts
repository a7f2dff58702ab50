// An account's ledger, GET /v1/account/ledger, and what its runs used, GET /v1/account/usage. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { text, wholeNumber } from "../fields.ts";

export const postingKindsShown = ["grant", "hold", "charge", "release", "refund"] as const;

const MAX_POSTING_ID_CHARS = 100;

export const ledgerQuerySchema = strictObject({
  before: field(
    z.optional(text(MAX_POSTING_ID_CHARS)),
    "The id of the line that the page comes after. Nothing comes after one that the ledger does not have.",
  ),
  limit: field(wholeNumber({ min: 1, max: 500, fallback: 100 }), "Lines at most."),
});

export const ledgerLineSchema = object({
  id: field(z.string(), "The line."),
  at: field(z.iso.datetime(), "When it was written."),
  kind: field(
    z.enum(postingKindsShown),
    "`grant`: credits were given. `hold`: credits are kept back for a run. `charge`: what the run cost was taken of what it held. `release`: the rest of it came back. `refund`: a charge was given back.",
  ),
  micro_usd: field(z.int(), "The amount in micro-USD. 8,333 are a credit."),
  change_micro_usd: field(
    z.int(),
    "What it changed of the balance: above zero for a grant, a release and a refund, below for a hold, and 0 for a charge, whose amount was held before.",
  ),
  balance_micro_usd: field(z.int(), "The balance after it: the sum of all changes up to it."),
  run_id: field(z.nullable(z.string()), "Its run; null for a grant."),
  agent_id: field(z.nullable(z.string()), "The run's agent; null for a grant."),
});

export const ledgerSchema = object({
  balance_micro_usd: field(
    z.int(),
    "The balance after the first line of the page: of the first page it is the account's.",
  ),
  opening_micro_usd: field(
    z.int(),
    "The balance before the last line of the page; 0 where no earlier ones are.",
  ),
  lines: field(z.array(ledgerLineSchema), "The newest first."),
  next: field(z.nullable(z.string()), "The value of `before` for the next page; null on the last one."),
});
export type Ledger = z.infer<typeof ledgerSchema>;
export type LedgerLine = z.infer<typeof ledgerLineSchema>;

export const usageBys = ["day", "agent", "repository", "model", "person", "origin"] as const;
export type UsageBy = (typeof usageBys)[number];

/** What reviews are summed by. One review has a model, and was asked for by one person, but its counts are also of those before it. */
const reviewBys = ["day", "agent", "repository"] as const;

export function isOfReviews(by: UsageBy): by is (typeof reviewBys)[number] {
  return reviewBys.some((one) => one === by);
}

/** Days of one answer. */
export const MAX_USAGE_DAYS = 366;
/** Rows of one answer, but for days. */
export const MAX_USAGE_ROWS = 200;

export const usageQuerySchema = strictObject({
  from: field(z.optional(z.iso.date()), "The first day (UTC). Left out: 29 days before the last one."),
  to: field(
    z.optional(z.iso.date()),
    `The last day (UTC), which counts too. Left out: today. At most ${MAX_USAGE_DAYS} days in all.`,
  ),
  by: field(
    z._default(z.enum(usageBys), "day"),
    "What the runs of a row have in common. `model`: the first one that the run asked. `person`: who started the run, or the job that asked for it.",
  ),
  agent_id: field(z.optional(z.uuid()), "Only runs of this agent."),
});

const count = z.int().check(z.minimum(0));

const reviews = object({
  pull_requests: field(
    count,
    "Pull requests whose newest review is in the row: each is in one, and moves on with its next review.",
  ),
  reviews: field(count, "All reviews of these pull requests that were reported, also those before."),
  found: field(count, "Findings that were ever published on them: the sum of the four that follow."),
  fixed: field(count, "Those that are fixed, as of the newest review."),
  declined: field(count, "Those that people have declined."),
  withdrawn: field(count, "Those that the reviewer has withdrawn."),
  open: field(
    count,
    "All others. Whether a pull request is merged is not known: its open findings count as not acted on.",
  ),
  resolution_rate: field(
    z.nullable(z.number()),
    "Which share of the findings was fixed, from 0 to 1: `fixed` of `found` without `withdrawn`. Null where there are none.",
  ),
});

const sums = {
  runs: field(
    object({
      completed: field(count, "Those that completed."),
      failed: field(count, "Those that failed."),
      cancelled: field(count, "Those that were cancelled."),
      delegated: field(count, "Those that another run delegated; they are in none of the other numbers."),
    }),
    "Runs that ended.",
  ),
  checks: field(
    object({
      passed: field(count, "Each check ended well."),
      failed: field(count, "A check failed."),
      none: field(count, "Nothing was checked after the last edit."),
    }),
    "How the checks of runs ended that changed something. Delegated runs do not count.",
  ),
  reviews: field(
    z.nullable(reviews),
    "What became of the findings of reviews (`findings: review`), as their jobs report it. Null by model, person and origin, but for the total: a review's counts include those before it.",
  ),
  tokens: field(count, "Tokens of models, in and out, of every run, also a delegated one."),
  gross_micro_usd: field(count, "What was charged for every run, also a delegated one."),
  refunded_micro_usd: field(count, "What was given back of it."),
  credits: field(z.number(), "What was charged and not given back, in credits, not rounded."),
};

const usageSumsSchema = object(sums);

export const usageRowSchema = object({
  key: field(
    z.nullable(z.string()),
    "A day as `2026-11-28`, an agent's id, a repository as `github:octo/hello`, a model, a person as `person:<id>` of the account, or as `github:12` (the code host's id), or an origin. Null: not known, or there is none.",
  ),
  name: field(z.optional(z.string()), "An agent's name, or a person's of the account."),
  ...sums,
});
export type UsageRow = z.infer<typeof usageRowSchema>;

export const usageSchema = object({
  by: field(z.enum(usageBys), "What the runs of a row have in common."),
  from: field(z.iso.date(), "The first day."),
  to: field(z.iso.date(), "The last day."),
  rows: field(
    z.array(usageRowSchema),
    `Days in their order, each of them; of all else the dearest first, at most ${MAX_USAGE_ROWS}.`,
  ),
  others: field(z.nullable(usageSumsSchema), "All rows beyond those together; null where there are none."),
  total: field(usageSumsSchema, "Everything together."),
});
export type UsageReport = z.infer<typeof usageSchema>;
export type UsageTotals = z.infer<typeof usageSumsSchema>;
