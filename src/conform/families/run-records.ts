// The records of runs: their fields, absent fields, and sums of amounts.

import { type Answer, member } from "../kit/exchange.ts";
import { expectStatus, expectThat, textOf } from "../kit/expect.ts";
import {
  absent,
  boolean,
  dateTime,
  either,
  exactly,
  type FieldKind,
  filled,
  integer,
  nothing,
  object,
  oneOf,
  optional,
  uuid,
} from "../kit/field-kinds.ts";
import { recordStatements } from "../kit/record-fields.ts";
import { cancelledRun, ended, endOf, listRuns, readRun, runner, start } from "../kit/runs.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { accountOf } from "../kit/things.ts";

const MICRO_PER_CREDIT = 1_000_000 / 120;

const positive: FieldKind = {
  says: "a positive integer, or absent",
  holds: (value) => value === undefined || (integer.holds(value) && Number(value) > 0),
};
const causes = oneOf(
  "user_stop",
  "interrupted",
  "stalled",
  "time_limit",
  "backend_error",
  "spawn_failed",
  "agent_deleted",
);
const usage: FieldKind = {
  says: "absent, or an object of executor, advisor and reviewer alone, each with credits, tokens and calls",
  holds: (value) =>
    value === undefined ||
    (object.holds(value) &&
      Object.entries(value as object).every(
        ([role, used]) =>
          ["executor", "advisor", "reviewer"].includes(role) &&
          typeof member(used, "credits") === "number" &&
          integer.holds(member(used, "tokens")) &&
          integer.holds(member(used, "calls")),
      )),
};
const advisor: FieldKind = {
  says: "absent, or an object with calls_used, calls_allowed and spend_micro_usd",
  holds: (value) =>
    value === undefined ||
    ["calls_used", "calls_allowed", "spend_micro_usd"].every((name) => integer.holds(member(value, name))),
};

const ofEach = {
  id: filled,
  agent_id: uuid,
  thread_id: uuid,
  origin: exactly("user"),
  parent_run_id: absent,
  credits: either(integer, nothing),
  tokens: either(integer, nothing),
  gross_micro_usd: positive,
  refunded_micro_usd: positive,
  refund_reason: optional(filled),
  refund_withheld_reason: optional(filled),
  usage_by_role: usage,
  advisor,
  ended_at: dateTime,
};
const isText = ["output", "reply", "content", "message", "messages", "text"];
const noText = Object.fromEntries(isText.map((name) => [name, absent]));

const fields: readonly Statement[] = [
  ...recordStatements({
    prefix: "run-ended",
    section: "2.3",
    what: "A run that has ended",
    needs: ["runs"],
    read: async (world) => readRun(world, await ended(world)),
    fields: {
      ...ofEach,
      ...noText,
      status: oneOf("completed", "failed", "cancelled"),
      started_at: dateTime,
      last_heartbeat_at: dateTime,
      cause: optional(causes),
      retryable: optional(boolean),
      stop_reason: optional(filled),
    },
  }),
  ...recordStatements({
    prefix: "run-cancelled",
    section: "2.3",
    what: "A run that was cancelled",
    needs: ["runs"],
    read: async (world) => readRun(world, await cancelledRun(world)),
    fields: {
      ...ofEach,
      status: exactly("cancelled"),
      started_at: optional(dateTime),
      last_heartbeat_at: optional(dateTime),
      cause: exactly("user_stop"),
      stop_reason: absent,
    },
  }),
  ...recordStatements({
    prefix: "run-listed",
    section: "2.3",
    what: "A run in the list",
    needs: ["runs"],
    read: async (world) => (await listRuns(world, await runner(world))).answer,
    at: [0],
    fields: { ...noText, id: filled, status: filled, origin: exactly("user") },
  }),
];

const numberOf = (answer: Answer, name: string) => Number(member(answer.json, name) ?? 0);

const accounting = statementsOf("2.3", { prefix: "run-accounting", needs: ["runs"] }, [
  [
    "roles-sum",
    "The micro-USD of a run's roles sum to its gross amount.",
    async (world) => {
      const answer = await readRun(world, await ended(world));
      const roles = Object.values((member(answer.json, "usage_by_role") ?? {}) as object);
      const sum = roles.reduce(
        (all: number, role) => all + Number(member(role, "credits")) * MICRO_PER_CREDIT,
        0,
      );
      const isUnknown = member(answer.json, "usage_by_role") === undefined;
      const gross = numberOf(answer, "gross_micro_usd");
      expectThat(isUnknown || Math.abs(sum - gross) < 1, `role credits that are ${gross} micro-USD`, answer);
    },
  ],
  [
    "net",
    "The credits of a run are its gross amount less refunds, by the peg of 120 credits a USD.",
    async (world) => {
      const answer = await readRun(world, await ended(world));
      const net = numberOf(answer, "gross_micro_usd") - numberOf(answer, "refunded_micro_usd");
      const credits = member(answer.json, "credits");
      const holds = credits === null || Math.abs(Number(credits) - net / MICRO_PER_CREDIT) <= 1;
      expectThat(holds, `credits that are ${net} micro-USD, to one credit`, answer);
    },
  ],
  [
    "charged",
    "A run's credits are taken from the account's balance.",
    async (world) => {
      const path = `/v1/users/${await accountOf(world, "owner")}/credits`;
      const before = numberOf(expectStatus(await world.get(path), 200), "balance");
      const run = await start(world);
      await endOf(world, run);
      const credits = numberOf(await readRun(world, run), "credits");
      const after = expectStatus(await world.get(path), 200);
      expectThat(
        Math.abs(before - credits - numberOf(after, "balance")) <= 1,
        `a balance of ${before - credits}`,
        after,
      );
    },
  ],
  [
    "times",
    "A run has begun before it ended.",
    async (world) => {
      const answer = await readRun(world, await ended(world));
      const [from, to] = [Date.parse(textOf(answer, "started_at")), Date.parse(textOf(answer, "ended_at"))];
      expectThat(from <= to, "started_at at ended_at or before", answer);
    },
  ],
]);

export const runRecords: readonly Statement[] = [...fields, ...accounting];
