// The row of a run. Pure.

import { sql } from "kysely";
import { checksStates } from "../../contract/runs/checks.ts";
import { modelBillings, runCauses, runOrigins, runStatuses } from "../../contract/runs/run.ts";
import type { RunOutcome, RunRecord } from "../core/runs/run-record.ts";
import {
  parseAbout,
  parseDelivery,
  parseParked,
  parseRunPrice,
  parseShownCommit,
  parseUsage,
} from "./columns.ts";
import { row, type TableOf } from "./row.ts";
import {
  type Column,
  flag,
  integer,
  json,
  type Named,
  named,
  nullable,
  oneOf,
  optional,
  text,
} from "./row-columns.ts";

/** The condition of the indexes on runs that have not ended. A query uses one only where it repeats the condition. */
export const isUnfinished = sql<boolean>`runs.status in ('queued', 'running', 'cancelling')`;

/** The condition of the index `runs_state`, for the states that few runs have: docs/decisions/162-indexes-of-rare-runs.md. */
export const isNotCompleted = sql<boolean>`runs.status in ('queued', 'running', 'cancelling', 'failed', 'cancelled')`;

/** The condition of the index `runs_origin`, for the origins that few runs have. */
export const isNotOfUser = sql<boolean>`runs.origin in ('schedule', 'background', 'agent', 'agent_result')`;

/** Earlier versions could store fractions on SQLite. */
const rounded: Column<number, number> = { ...integer, read: Math.round };

/**
 * Whether its input and events are kept, deleting or deleted: they are deleted in several steps. Kept events are rows, or on their way
 * into an archive, or in it.
 */
const content: Column<true | undefined, string> & Named<"content"> = {
  name: "content",
  kind: "text",
  isNullable: false,
  isOptional: true,
  read: (stored) => (stored === "deleting" || stored === "deleted" ? true : undefined),
  write: (hasExpired) => (hasExpired === true ? "deleted" : "kept"),
};

/** Columns that are written when a run ends, and with it when it begins. */
const outcome = {
  status: oneOf(runStatuses),
  endedAt: nullable(integer),
  cause: nullable(oneOf(runCauses)),
  retryable: flag,
  stopReason: nullable(text),
  usage: nullable(json(parseUsage)),
  grossMicroUsd: rounded,
  refundedMicroUsd: rounded,
  refundReason: nullable(text),
  refundWithheldReason: nullable(text),
  checks: nullable(oneOf(checksStates)),
};

export const outcomeRow = row<Pick<RunRecord, keyof RunOutcome>>("runs")(outcome);

export const runRow = row<RunRecord>("runs")(
  {
    id: text,
    agentId: text,
    sessionId: named("thread_id", text),
    origin: oneOf(runOrigins),
    parentRunId: nullable(text),
    billingAccount: named("payer", text),
    price: nullable(json(parseRunPrice)),
    modelBilling: nullable(oneOf(modelBillings)),
    holdMicroUsd: integer,
    submittedAt: integer,
    startedAt: nullable(integer),
    heartbeatAt: nullable(integer),
    ...outcome,
    lastSeq: integer,
    fence: integer,
    hasExpired: content,
    commit: named("works_on", optional(json(parseShownCommit))),
    parked: optional(json(parseParked)),
    repository: optional(text),
    startedBy: optional(text),
    request: nullable(text),
    about: nullable(json(parseAbout)),
    delivery: nullable(json(parseDelivery)),
  },
  {
    /** Its place among the runs of its session: 1, 2, 3 … in the order of their commits. */
    threadSeq: integer,
  },
);

export type RunsTable = TableOf<typeof runRow>;

declare module "./tables.ts" {
  interface Database {
    runs: RunsTable;
  }
}
