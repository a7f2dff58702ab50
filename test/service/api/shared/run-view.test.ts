import { describe, expect, it } from "vitest";
import { makeRun } from "../../../../fakes/records.ts";
import { runSchema } from "../../../../src/contract/runs/run.ts";
import { toRun } from "../../../../src/service/api/shared/run-view.ts";
import type { RunRecord } from "../../../../src/service/core/runs/run-record.ts";
import { noUsage } from "../../../../src/service/core/runs/usage.ts";

const ids = {
  agentId: "0190d8f6-5a3e-7b1c-8d2e-000000000001",
  sessionId: "0190d8f6-5a3e-7b1c-8d2e-000000000002",
};
const begun = { ...ids, startedAt: 1_000, heartbeatAt: 2_000 };

const records: Readonly<Record<string, RunRecord>> = {
  queued: makeRun(ids),
  running: makeRun({ ...begun, status: "running" }),
  cancelling: makeRun({ ...begun, status: "cancelling" }),
  completed: makeRun({
    ...begun,
    status: "completed",
    endedAt: 3_000,
    stopReason: "end_turn",
    usage: { roles: { executor: { tokens: 9, calls: 2, microUsd: 8333 } }, advisor: null },
    grossMicroUsd: 8333,
  }),
  "failed and refunded": makeRun({
    ...begun,
    status: "failed",
    endedAt: 3_000,
    cause: "interrupted",
    retryable: true,
    usage: { roles: { executor: { tokens: 0, calls: 0, microUsd: 8333 } }, advisor: null },
    grossMicroUsd: 8333,
    refundedMicroUsd: 8333,
    refundReason: "interrupted",
  }),
  "cancelled before it began": makeRun({
    ...ids,
    status: "cancelled",
    endedAt: 3_000,
    cause: "user_stop",
    usage: noUsage,
  }),
  "a child": makeRun({ ...ids, origin: "agent", parentRunId: "parent" }),
};

describe("toRun", () => {
  it.each(Object.entries(records))("shows a run that is %s as the contract has it", (_name, record) => {
    const run = toRun(record);
    expect(runSchema.parse(run)).toEqual(run);
  });

  it("shows what was paid net of refunds, and what was used by role", () => {
    expect(toRun(records.completed ?? makeRun())).toMatchObject({
      credits: 1,
      tokens: 9,
      gross_micro_usd: 8333,
      usage_by_role: { executor: { credits: 0.99996, micro_usd: 8333, tokens: 9, calls: 2 } },
    });
    expect(toRun(records["failed and refunded"] ?? makeRun())).toMatchObject({
      credits: 0,
      gross_micro_usd: 8333,
      refunded_micro_usd: 8333,
      refund_reason: "interrupted",
    });
    const free = toRun(records["cancelled before it began"] ?? makeRun());
    for (const absent of [
      "gross_micro_usd",
      "refunded_micro_usd",
      "refund_reason",
      "usage_by_role",
      "started_at",
    ])
      expect(free).not.toHaveProperty(absent);
  });

  it.each([
    ["running", { startedAt: null }],
    ["running", { heartbeatAt: null }],
    ["completed", { endedAt: null }],
    ["completed", { stopReason: null }],
    ["failed and refunded", { cause: null }],
  ] as const)("refuses a row that is %s but has %j", (name, change) => {
    expect(() => toRun({ ...(records[name] ?? makeRun()), ...change })).toThrow(
      /^Run run-1 is \w+ but has no /,
    );
  });
});
