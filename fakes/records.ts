// Records with sensible contents, for tests and the benchmark of the store and the core.

import type { JobIdentity } from "../src/service/core/ci-jobs/job-identity.ts";
import { queuedRun } from "../src/service/core/runs/new-run.ts";
import type { RunEnd } from "../src/service/core/runs/queue-port.ts";
import type { RunInput, RunOutcome, RunRecord } from "../src/service/core/runs/run-record.ts";

export function makeJob(overrides: Partial<JobIdentity> = {}): JobIdentity {
  return {
    provider: "github",
    issuer: "https://issuer.example",
    repository: { id: "1001", ownerId: "77", name: "octo/hello", visibility: "public" },
    sha: "a".repeat(40),
    ref: "refs/heads/main",
    event: "push",
    baseRef: null,
    actorId: "12",
    workflow: ".github/workflows/agent.yml@refs/heads/main",
    runId: "500",
    runAttempt: "1",
    cloneUrl: "https://issuer.example/octo/hello.git",
    ...overrides,
  };
}

export function makeRun(overrides: Partial<RunRecord> = {}): RunRecord {
  return {
    ...queuedRun({
      id: "run-1",
      agentId: "agent-1",
      sessionId: "thread-1",
      origin: "user",
      parentRunId: null,
      price: null,
      modelBilling: null,
      billingAccount: "free:https://issuer.example:77:2026-01",
      now: 1_000,
    }),
    ...overrides,
  };
}

export function makeRunInput(overrides: Partial<RunInput> = {}): RunInput {
  return {
    messages: [{ role: "user", content: "What is this?" }],
    maxTurnTokens: 0,
    job: makeJob(),
    ...overrides,
  };
}

/** The end of a run that a worker has taken. */
export function makeEnd(overrides: Partial<RunEnd> = {}): RunEnd {
  const { billingAccount, holdMicroUsd } = makeRun();
  return {
    runId: "run-1",
    fence: 1,
    now: 2_000,
    jsons: ["1"],
    outcome: makeOutcome(),
    was: { status: "running", holdMicroUsd },
    settlement: { billingAccount, postings: [] },
    ...overrides,
  };
}

export function makeOutcome(overrides: Partial<RunOutcome> = {}): RunOutcome {
  return {
    status: "completed",
    endedAt: 2_000,
    cause: null,
    retryable: false,
    stopReason: "end_turn",
    usage: null,
    grossMicroUsd: 0,
    refundedMicroUsd: 0,
    refundReason: null,
    refundWithheldReason: null,
    checks: null,
    ...overrides,
  };
}
