// Any history of runs leaves the books in order.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUN_FEE_MICRO_USD } from "../../../../src/service/core/money/ledger.ts";
import { cancelRun } from "../../../../src/service/core/runs/cancel-run.ts";
import { finishRun, takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { leaveRun } from "../../../../src/service/core/runs/recover-runs.ts";
import type { RunEnding } from "../../../../src/service/core/runs/run-machine.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { expectValidStream } from "../../../support/service-streams.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

type Step =
  | { readonly type: "submit" }
  | { readonly type: "take" | "cancel" | "interrupt"; readonly run: number }
  | { readonly type: "finish"; readonly run: number; readonly ending: RunEnding }
  | { readonly type: "next month" };

const failures = [
  { cause: "backend_error", reason: "model_failed" },
  { cause: "backend_error", reason: "internal_error" },
  { cause: "spawn_failed", reason: "checkout_refused" },
  { cause: "spawn_failed", reason: "storage_unavailable" },
  { cause: "stalled", reason: "stalled" },
  { cause: "interrupted", reason: "interrupted" },
  { cause: "time_limit", reason: "time_limit" },
] as const;
const ourFaults: readonly string[] = ["backend_error", "spawn_failed", "stalled", "interrupted"];

const ending: fc.Arbitrary<RunEnding> = fc.oneof(
  fc.constant<RunEnding>({ status: "completed", stopReason: "end_turn" }),
  fc.constant<RunEnding>({ status: "cancelled", cause: "user_stop" }),
  fc
    .record({ failure: fc.constantFrom(...failures), retryable: fc.boolean() })
    .map(({ failure, retryable }) => ({
      status: "failed" as const,
      message: "It failed.",
      retryable,
      ...failure,
    })),
);
const run = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ type: "submit" }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("take", "take", "cancel", "interrupt"), run }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("finish" as const), run, ending }) },
  { weight: 1, arbitrary: fc.constant<Step>({ type: "next month" }) },
);

onEveryStore((kind) => {
  describe("money", () => {
    it("is never made, lost, charged twice or kept for our own faults, whatever happens to runs", async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 6 }), fc.array(step, { maxLength: 25 }), playHistory),
        { numRuns: 12 },
      );
    });

    async function playHistory(freeCredits: number, steps: readonly Step[]): Promise<void> {
      const fixture = await startFixture({ level: "core", store: kind, freeCredits });
      try {
        const runIds: string[] = [];
        for (const taken of steps) {
          await play(fixture, runIds, taken);
          await expectSoundLedger(fixture.place);
        }
        await expectCharges(fixture, runIds);
      } finally {
        await fixture.close();
      }
    }
  });
});

async function play(fixture: CoreFixture, runIds: string[], taken: Step): Promise<void> {
  if (taken.type === "next month") return fixture.clock.advance(31 * 24 * 60 * 60_000);
  if (taken.type === "submit") {
    const submitted = await fixture.trySubmit({ message: "go" });
    if (submitted.ok) runIds.push(submitted.value.runId);
    else expect(submitted.refusal.reason).toBe("credits_ended");
    return;
  }
  const runId = runIds[taken.run];
  if (runId === undefined) return;
  switch (taken.type) {
    case "take":
      await takeRun(fixture.core, runId);
      break;
    case "interrupt":
      await leaveRun(fixture.core, runId);
      break;
    case "cancel": {
      const caller = await fixture.caller();
      await cancelRun(fixture.core, { caller, agentId: caller.capability.agentId, runId });
      break;
    }
    case "finish": {
      const usage = { roles: { executor: { tokens: 10, calls: 1, microUsd: 0 } }, advisor: null };
      await finishRun(fixture.core, { runId, fence: 1, events: [], ending: taken.ending, usage });
      break;
    }
  }
}

/** What a run says of its costs is what its way through the states says. */
async function expectCharges(fixture: CoreFixture, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    const ended = await fixture.run(runId);
    const fee = ended.startedAt === null || ended.endedAt === null ? 0 : RUN_FEE_MICRO_USD;
    const isOurFault = ended.status === "failed" && ourFaults.includes(ended.cause ?? "");
    expect(ended.grossMicroUsd).toBe(fee);
    expect(ended.refundedMicroUsd).toBe(isOurFault ? fee : 0);
    expect(ended.refundReason).toBe(isOurFault ? ended.cause : null);
    if (ended.endedAt !== null) await expectValidStream(await fixture.stream(runId));
  }
}
