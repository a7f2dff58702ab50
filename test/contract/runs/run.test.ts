import { describe, expect, it } from "vitest";
import { isTerminal, runSchema, runStatuses } from "../../../src/contract/runs/run.ts";
import { submitRunRequestSchema } from "../../../src/contract/runs/run-requests.ts";

const identity = {
  id: "run-1",
  agent_id: "0190d8f6-5a3e-7b1c-8d2e-000000000001",
  thread_id: "0190d8f6-5a3e-7b1c-8d2e-000000000002",
  origin: "user",
};
const at = "2026-01-15T10:00:00.000Z";
const started = { started_at: at, last_heartbeat_at: at };
const unsettled = { credits: null, tokens: null };
const settled = { credits: 1, tokens: 7, gross_micro_usd: 8333 };

const legal = {
  queued: { ...identity, status: "queued", ...unsettled },
  running: { ...identity, status: "running", ...unsettled, ...started },
  cancelling: { ...identity, status: "cancelling", ...unsettled, ...started },
  completed: {
    ...identity,
    status: "completed",
    ...settled,
    ...started,
    ended_at: at,
    stop_reason: "end_turn",
  },
  failed: {
    ...identity,
    status: "failed",
    ...settled,
    refunded_micro_usd: 8333,
    refund_reason: "backend_error",
    ended_at: at,
    cause: "backend_error",
    retryable: true,
  },
  cancelled: { ...identity, status: "cancelled", ...settled, ended_at: at, cause: "user_stop" },
} as const;

describe("a run", () => {
  it.each(runStatuses)("parses when it is %s and has what that state has", (status) => {
    expect(runSchema.parse(legal[status])).toEqual(legal[status]);
  });

  it.each([
    ["a status that there is not", { ...legal.queued, status: "done" }],
    ["no status", { ...identity, ...unsettled }],
    ["queued with credits", { ...legal.queued, credits: 1 }],
    ["running without a start", { ...legal.running, started_at: undefined }],
    ["running without a heartbeat", { ...legal.running, last_heartbeat_at: undefined }],
    ["cancelling with tokens", { ...legal.cancelling, tokens: 1 }],
    ["completed without an end", { ...legal.completed, ended_at: undefined }],
    ["completed without a reason to stop", { ...legal.completed, stop_reason: undefined }],
    ["failed without a cause", { ...legal.failed, cause: undefined }],
    ["failed for a cause that there is not", { ...legal.failed, cause: "bad_luck" }],
    ["failed without saying whether to repeat", { ...legal.failed, retryable: undefined }],
    ["cancelled without a cause", { ...legal.cancelled, cause: undefined }],
    ["half a micro-dollar", { ...legal.completed, gross_micro_usd: 0.5 }],
    ["an agent that is no UUID", { ...legal.queued, agent_id: "agent" }],
    ["a time that is none", { ...legal.running, started_at: "yesterday" }],
  ])("does not parse: %s", (_name, row) => {
    expect(runSchema.safeParse(row).success).toBe(false);
  });

  it("does not show in one state what only another has", () => {
    const run = runSchema.parse({ ...legal.queued, started_at: at, ended_at: at, cause: "stalled" });
    expect(run).toEqual(legal.queued);
  });

  it("has three states that end it", () => {
    expect(runStatuses.filter(isTerminal)).toEqual(["completed", "failed", "cancelled"]);
  });
});

describe("a submission", () => {
  it("parses with each of its fields at its limits", () => {
    const request = {
      message: "x",
      session_key: "s".repeat(255),
      pull_request: { number: 1, head_sha: "a".repeat(40), base_ref: "main" },
      idempotency_key: "k".repeat(255),
      max_turn_tokens: 5_000_000,
    };
    expect(submitRunRequestSchema.parse(request)).toEqual(request);
    const { session_key, pull_request: _, ...other } = request;
    const byId = { ...other, session_id: session_key };
    expect(submitRunRequestSchema.parse(byId)).toEqual(byId);
  });

  it.each(["", "s".repeat(256), "a\0b", 7, null])("does not parse with the session key %j", (session_key) => {
    expect(submitRunRequestSchema.safeParse({ message: "x", session_key }).success).toBe(false);
  });
});
