// Any history of an account leaves its wallet at the sum of its postings, never below zero, and its route says so.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Credits, creditsSchema } from "../../../../src/contract/money/money.ts";
import type { AccountCaller } from "../../../../src/service/core/accounts/caller.ts";
import { grantCredits, makeApiKey, openAccount } from "../../../../src/service/core/accounts/keys.ts";
import { endPlan, setPlan } from "../../../../src/service/core/accounts/subscriptions.ts";
import { accountWallet, balanceInCredits } from "../../../../src/service/core/money/ledger.ts";
import { cancelRun } from "../../../../src/service/core/runs/cancel-run.ts";
import { finishRun, takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { leaveRun } from "../../../../src/service/core/runs/recover-runs.ts";
import type { RunEnding } from "../../../../src/service/core/runs/run-machine.ts";
import { decodeRates } from "../../../../src/service/settings/rates-file.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { ratesDocument } from "../../../support/rates-document.ts";
import { openHttpApi } from "../../../support/service-api.ts";
import { call } from "../../../support/service-client.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

type Step =
  | { readonly type: "grant"; readonly credits: number }
  | { readonly type: "submit" }
  | { readonly type: "end plan" }
  | { readonly type: "plan"; readonly sku: "small" | "large"; readonly cancelAtPeriodEnd: boolean }
  | { readonly type: "wait"; readonly days: number }
  | { readonly type: "take" | "cancel" | "interrupt"; readonly run: number }
  | { readonly type: "finish"; readonly run: number; readonly ending: RunEnding };

const failure = (cause: "backend_error" | "time_limit"): RunEnding => ({
  status: "failed",
  cause,
  reason: cause === "time_limit" ? "time_limit" : "agent_failed",
  message: "It failed.",
  retryable: true,
});
const ending = fc.constantFrom<RunEnding>(
  { status: "completed", stopReason: "end_turn" },
  { status: "cancelled", cause: "user_stop" },
  failure("backend_error"),
  failure("time_limit"),
);
const run = fc.nat({ max: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("grant" as const), credits: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 5, arbitrary: fc.constant<Step>({ type: "submit" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ type: "end plan" }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("plan" as const),
      sku: fc.constantFrom("small", "large"),
      cancelAtPeriodEnd: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("wait" as const), days: fc.nat({ max: 70 }) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("take", "take", "cancel", "interrupt"), run }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("finish" as const), run, ending }) },
);

type History = {
  readonly fixture: CoreFixture;
  readonly caller: AccountCaller;
  readonly agentId: string;
  readonly runIds: string[];
};

const subscriptions = [
  { id: "small", usd_cents: 500, monthly_credits: 3 },
  { id: "large", usd_cents: 900, monthly_credits: 7 },
];

onEveryStore((kind) => {
  describe("an account's money", () => {
    it("is the sum of its postings, never negative, and what the route says, whatever happens", async () => {
      await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), playHistory), { numRuns: 12 });
    });

    async function playHistory(steps: readonly Step[]): Promise<void> {
      const rates = decodeRates(ratesDocument({ subscriptions }));
      if (!rates.ok) throw new Error(rates.refusal.join("\n"));
      const fixture = await startFixture({ level: "core", store: kind, rates: rates.value });
      const api = await openHttpApi(fixture);
      try {
        const { id: accountId } = await openAccount(fixture.core, "subscribed");
        const caller = {
          kind: "account",
          accountId,
          callerClass: "owner",
          personId: null,
          role: "owner",
        } as const;
        const { secret } = await makeApiKey(fixture.core, { accountId, callerClass: "owner", name: "test" });
        const { agentId } = (await fixture.caller()).capability;
        await fixture.store.transact((tx) => tx.agents.update(agentId, { accountId }));
        const history: History = { fixture, caller, agentId, runIds: [] };
        for (const taken of steps) {
          await play(history, taken);
          await expectSoundLedger(fixture.place);
          // The first look in a period grants its credits.
          const answer = await call(`${api.url}/v1/users/${accountId}/credits`, { bearer: secret });
          const microUsd = await sumOfPostings(fixture, accountWallet(accountId));
          expect(microUsd).toBeGreaterThanOrEqual(0);
          const credits = creditsSchema.parse(answer.body);
          expect(credits.balance).toBe(balanceInCredits(microUsd));
          await expectGrants(fixture, credits);
          await expectSoundLedger(fixture.place);
        }
      } finally {
        await api.close();
      }
    }
  });
});

async function sumOfPostings(fixture: CoreFixture, wallet: string): Promise<number> {
  const rows = await fixture.place.query("select from_account, to_account, micro_usd from ledger_postings");
  return rows.reduce((sum, { from_account, to_account, micro_usd }) => {
    const amount = Number(micro_usd);
    return sum + (to_account === wallet ? amount : 0) - (from_account === wallet ? amount : 0);
  }, 0);
}

/** Each period of a subscription was granted once, those of the one that goes on up to now. */
async function expectGrants({ place, clock }: CoreFixture, { active_plan }: Credits): Promise<void> {
  const [row] = await place.query(
    "select subscription_id, period from accounts where subscription_id is not null",
  );
  if (row === undefined) return expect(active_plan).toBeNull();
  const ids = (
    await place.query(`select id from ledger_postings where id like '${row.subscription_id}:%' order by at`)
  ).map(({ id }) => String(id));
  const periods = Array.from({ length: Number(row.period) + 1 }, (_, n) => `${row.subscription_id}:${n}`);
  expect(ids.sort()).toEqual(periods.sort());
  if (active_plan === null) return;
  expect(Date.parse(active_plan.current_period_end)).toBeGreaterThan(clock.now());
}

async function play({ fixture, caller, agentId, runIds }: History, taken: Step): Promise<void> {
  if (taken.type === "grant") {
    expect(await grantCredits(fixture.core, { accountId: caller.accountId, credits: taken.credits })).toBe(
      true,
    );
    return;
  }
  if (taken.type === "wait") return fixture.clock.advance(taken.days * 24 * 60 * 60_000);
  if (taken.type === "plan") {
    const { sku, cancelAtPeriodEnd } = taken;
    const order = { accountId: caller.accountId, sku, status: "active" as const, cancelAtPeriodEnd };
    expect((await setPlan(fixture.core, order)).ok).toBe(true);
    return;
  }
  if (taken.type === "end plan") {
    await endPlan(fixture.core, caller.accountId);
    return;
  }
  if (taken.type === "submit") {
    const body = { message: "go" };
    const submitted = await fixture.submitter.submit({ caller, agentId, body, idempotencyKey: null });
    if (submitted.ok) runIds.push(submitted.value.runId);
    else expect(["balance_ended", "concurrency_reached"]).toContain(submitted.refusal.reason);
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
    case "cancel":
      await cancelRun(fixture.core, { caller, agentId, runId });
      break;
    case "finish": {
      const usage = { roles: { executor: { tokens: 10, calls: 1, microUsd: 0 } }, advisor: null };
      await finishRun(fixture.core, { runId, fence: 1, events: [], ending: taken.ending, usage });
      break;
    }
  }
}
