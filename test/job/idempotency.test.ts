import { describe, expect, it } from "vitest";
import type { CiJob } from "../../src/ci/provider.ts";
import { ApiError } from "../../src/client/errors.ts";
import type { Run, RunStatus } from "../../src/contract/runs/run.ts";
import { idempotencyKey, submitOnce } from "../../src/job/idempotency.ts";
import { AGENT_ID, cancelledRun, completedRun, runningRun } from "../client/run-fixtures.ts";

const job: CiJob = {
  provider: "github",
  repository: { id: "42", name: "octo/repo" },
  event: "push",
  sha: "a".repeat(40),
  runId: "9",
  attempt: 1,
  job: "agent",
  step: "step",
};

/** A service that knows the runs of earlier attempts, by their number. */
async function submit(options: { attempt: number | null; earlier?: Record<number, RunStatus | "reused"> }) {
  const { attempt, earlier = {} } = options;
  const keys: string[] = [];
  const run = await submitOnce({
    agentId: AGENT_ID,
    body: { message: "hello" },
    job: { ...job, attempt },
    matrix: "null",
    client: {
      runs: {
        submit: async ({ idempotencyKey: key = "" }) => {
          keys.push(key);
          const number = Number(/-(\d+)$/.exec(key)?.[1] ?? 1);
          if (earlier[number] === "reused") {
            throw new ApiError({ status: 422, code: "idempotency_key_reused", message: "", requestId: "" });
          }
          return {
            runId: `run-${number}`,
            sessionId: "s",
            replayed: number in earlier,
            continuedAfter: null,
          };
        },
        get: async ({ runId }): Promise<Run> => {
          const status = earlier[Number(runId.slice(4))];
          if (status === "completed") return completedRun;
          return status === "cancelling"
            ? { ...runningRun, status }
            : status === "cancelled"
              ? cancelledRun
              : runningRun;
        },
      },
    },
  });
  return { ...run, keys };
}

describe("idempotencyKey", () => {
  it("is the same for the same place, and another for each other place and attempt", () => {
    const key = (change: Partial<CiJob>, matrix = "null", attempt = 1) =>
      idempotencyKey({ job: { ...job, ...change }, matrix, attempt });
    expect(key({})).toMatch(/^ci-[0-9a-f]{64}$/);
    expect(key({ attempt: 2, sha: "b".repeat(40) })).toBe(key({}));
    expect(key({}, "null", 2)).toBe(`${key({})}-2`);
    const others = [
      key({ runId: "10" }),
      key({ job: "other" }),
      key({ step: "other" }),
      key({ repository: { id: "43", name: "octo/repo" } }),
      key({}, '{"os":"linux"}'),
    ];
    expect(new Set([key({}), ...others]).size).toBe(6);
  });
});

describe("submitOnce", () => {
  it("starts a run in the first attempt", async () => {
    expect(await submit({ attempt: 1 })).toMatchObject({ runId: "run-1", attached: false });
  });

  it("treats a replay of its own key as its own run", async () => {
    expect(await submit({ attempt: 1, earlier: { 1: "completed" } })).toMatchObject({
      runId: "run-1",
      attached: false,
    });
  });

  it("attaches to the run that an earlier attempt left in flight", async () => {
    expect(await submit({ attempt: 3, earlier: { 1: "completed", 2: "running" } })).toMatchObject({
      runId: "run-2",
      attached: true,
    });
  });

  it("passes over runs that have ended or are being cancelled", async () => {
    const ended = await submit({ attempt: 2, earlier: { 1: "completed" } });
    expect(ended).toMatchObject({ runId: "run-2", attached: false });
    expect(await submit({ attempt: 2, earlier: { 1: "cancelling" } })).toMatchObject({ runId: "run-2" });
    expect(await submit({ attempt: 2, earlier: { 1: "cancelled" } })).toMatchObject({ runId: "run-2" });
  });

  it("starts a run under the first attempt's key where that attempt submitted none", async () => {
    expect(await submit({ attempt: 3 })).toMatchObject({ runId: "run-1", keys: [expect.any(String)] });
  });

  it("passes over a key of a different request, within a bound", async () => {
    expect(await submit({ attempt: 1, earlier: { 1: "reused" } })).toMatchObject({ runId: "run-2" });
    const all = { 1: "reused", 2: "reused", 3: "reused", 4: "reused" } as const;
    await expect(submit({ attempt: 1, earlier: all })).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  });
});

describe("a provider that does not count attempts", () => {
  it.each([
    [{}, { runId: "run-1", attached: false }],
    [{ 1: "running" as const }, { runId: "run-1", attached: true }],
    [
      { 1: "completed" as const, 2: "queued" as const },
      { runId: "run-2", attached: true },
    ],
    [
      { 1: "completed" as const, 2: "cancelled" as const },
      { runId: "run-3", attached: false },
    ],
    [{ 1: "cancelling" as const }, { runId: "run-2", attached: false }],
    [
      { 1: "reused" as const, 2: "reused" as const },
      { runId: "run-3", attached: false },
    ],
  ])("attaches to the run in flight of %j, or starts one", async (earlier, expected) => {
    expect(await submit({ attempt: null, earlier })).toMatchObject(expected);
  });
});
