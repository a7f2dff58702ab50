// Any history of accounts: the lines of each ledger sum to its balance, exactly, after each thing that happened, and what the runs
// of a day cost is what its lines charge.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountItself } from "../../../../src/service/core/accounts/caller.ts";
import { grantCredits, openAccount } from "../../../../src/service/core/accounts/keys.ts";
import { type LedgerLines, readLedger } from "../../../../src/service/core/accounts/read-ledger.ts";
import { newAgent } from "../../../../src/service/core/agents/agent.ts";
import { accountWallet } from "../../../../src/service/core/money/ledger.ts";
import { cancelRun } from "../../../../src/service/core/runs/cancel-run.ts";
import { resumeRun } from "../../../../src/service/core/runs/continue-run.ts";
import { delegateRun } from "../../../../src/service/core/runs/delegate-run.ts";
import { endOverdue, parkRun } from "../../../../src/service/core/runs/park-run.ts";
import { finishRun, raiseHold, takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { leaveRun } from "../../../../src/service/core/runs/recover-runs.ts";
import type { RunEnding } from "../../../../src/service/core/runs/run-machine.ts";
import type { Usage } from "../../../../src/service/core/runs/usage.ts";
import { readUsage } from "../../../../src/service/core/usage/read-usage.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const DAY_MS = 86_400_000;
const HISTORIES = { sqlite: 1_000, postgres: 200 };
const SEED = 20_261_128;

type Step =
  | {
      readonly type: "grant" | "hold" | "finish";
      readonly amount: number;
      readonly run: number;
      readonly ending: RunEnding;
    }
  | { readonly type: "submit" | "wait" | "overdue"; readonly days: number }
  | { readonly type: "cancel" | "interrupt" | "park" | "resume" | "delegate"; readonly run: number };

const failed: RunEnding = {
  status: "failed",
  cause: "backend_error",
  reason: "agent_failed",
  message: "It failed.",
  retryable: true,
};
const ending = fc.constantFrom<RunEnding>(
  { status: "completed", stopReason: "end_turn" },
  { status: "cancelled", cause: "user_stop" },
  failed,
  { ...failed, cause: "stalled", reason: "stalled" },
  { ...failed, cause: "time_limit", reason: "time_limit" },
);
const run = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom("grant" as const, "hold" as const, "finish" as const, "finish" as const),
      amount: fc.integer({ min: 1, max: 40_000 }),
      run,
      ending,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom("submit" as const, "submit" as const, "wait" as const, "overdue" as const),
      days: fc.nat({ max: 15 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom("cancel", "interrupt", "park", "resume", "delegate"),
      run,
    }),
  },
);

onEveryStore((kind) => {
  describe("a ledger", () => {
    let fixture: CoreFixture;
    beforeAll(async () => {
      fixture = await startFixture({ level: "core", store: kind });
    });
    afterAll(() => fixture.close());

    it("sums to the balance after each thing that happens, and a day's usage is what it charges", async () => {
      const numRuns = kind.name === "SQLite" ? HISTORIES.sqlite : HISTORIES.postgres;
      const histories = fc.sample(fc.array(step, { minLength: 1, maxLength: 12 }), { seed: SEED, numRuns });
      for (const steps of histories) await playHistory(fixture, steps);
      await expectSoundLedger(fixture.place);
    }, 1_800_000);
  });
});

async function playHistory(fixture: CoreFixture, steps: readonly Step[]): Promise<void> {
  const { core, clock } = fixture;
  const begun = clock.now();
  const history = await History.begin(fixture);
  const { wallet, caller } = history;
  const balances: { readonly at: number; readonly balance: number }[] = [];
  for (const taken of steps) {
    await history.play(taken);
    balances.push({ at: clock.now(), balance: (await core.store.committed.ledger.findBalance(wallet)) ?? 0 });
    await clock.advance(1);
  }
  const { lines, closingMicroUsd } = await wholeLedger(fixture, caller);
  expect(closingMicroUsd).toBe(balances.at(-1)?.balance);
  let sum = 0;
  for (const line of lines.toReversed()) {
    sum += line.changeMicroUsd;
    expect(line.balanceMicroUsd).toBe(sum);
  }
  expect(sum).toBe(closingMicroUsd);
  for (const { at, balance } of balances)
    expect(lines.find(({ posting }) => posting.at <= at)?.balanceMicroUsd ?? 0).toBe(balance);
  await expectUsage(fixture, { caller, lines, begun });
}

/** Page by page. */
async function wholeLedger({ core }: CoreFixture, caller: { accountId: string }): Promise<LedgerLines> {
  const first = await readLedger(core, { caller, before: null, limit: 7 });
  const lines = [...first.lines];
  let page = first;
  while (page.next !== null) {
    const later = await readLedger(core, { caller, before: page.next, limit: 7 });
    expect(later.closingMicroUsd).toBe(page.openingMicroUsd);
    lines.push(...later.lines);
    page = later;
  }
  expect(page.openingMicroUsd).toBe(0);
  return { ...first, lines, openingMicroUsd: page.openingMicroUsd };
}

async function expectUsage(
  { core, clock }: CoreFixture,
  { caller, lines, begun }: { caller: { accountId: string }; lines: LedgerLines["lines"]; begun: number },
): Promise<void> {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const span = { caller, agentId: null, from: dayOf(begun), to: dayOf(clock.now()) };
  const { groups, total } = await readUsage(core, { ...span, by: "day" });
  const sumOf = (kind: string, day: string | null) =>
    lines.reduce(
      (sum, { posting }) =>
        posting.kind === kind && (day === null || dayOf(posting.at) === day) ? sum + posting.microUsd : sum,
      0,
    );
  for (const { key, grossMicroUsd, refundedMicroUsd } of groups)
    expect([grossMicroUsd, refundedMicroUsd]).toEqual([sumOf("charge", key), sumOf("refund", key)]);
  expect([total.grossMicroUsd, total.refundedMicroUsd]).toEqual([
    sumOf("charge", null),
    sumOf("refund", null),
  ]);
  const byAgent = await readUsage(core, { ...span, by: "agent" });
  expect(byAgent.total).toEqual(total);
}

class History {
  readonly #fixture: CoreFixture;
  readonly #agentId: string;
  readonly #runs: string[] = [];
  readonly caller: ReturnType<typeof accountItself>;
  readonly wallet: string;

  private constructor(fixture: CoreFixture, { accountId, agentId }: { accountId: string; agentId: string }) {
    this.#fixture = fixture;
    this.#agentId = agentId;
    this.caller = accountItself(accountId, "owner");
    this.wallet = accountWallet(accountId);
  }

  static async begin(fixture: CoreFixture): Promise<History> {
    const { core, clock } = fixture;
    const { id: accountId } = await openAccount(core, "registered_free");
    await clock.advance(1);
    const agentId = core.random.uuid(clock.now());
    await core.store.transact((tx) =>
      tx.agents.insert(
        newAgent({
          id: agentId,
          accountId,
          name: "reviewer",
          kind: "independent",
          backend: "none",
          createdAt: clock.now(),
        }),
      ),
    );
    return new History(fixture, { accountId, agentId });
  }

  async play(taken: Step): Promise<void> {
    const { core, clock, submitter } = this.#fixture;
    const { caller } = this;
    const agentId = this.#agentId;
    switch (taken.type) {
      case "grant":
        await grantCredits(core, { accountId: caller.accountId, credits: taken.amount % 5 || 1 });
        return;
      case "wait":
        await clock.advance(taken.days * DAY_MS);
        return;
      case "overdue":
        await endOverdue(core);
        return;
      case "submit": {
        const body = { message: "go" };
        const submitted = await submitter.submit({ caller, agentId, body, idempotencyKey: null });
        if (!submitted.ok) return;
        this.#runs.push(submitted.value.runId);
        if (taken.days % 3 > 0) await takeRun(core, submitted.value.runId);
        return;
      }
    }
    const runId = this.#runs[taken.run];
    if (runId === undefined) return;
    const { fence = 0 } = (await core.store.committed.runs.find(runId)) ?? {};
    const held = { runId, fence };
    switch (taken.type) {
      case "hold":
        await raiseHold(core, { ...held, microUsd: taken.amount });
        return;
      case "finish":
        await finishRun(core, { ...held, events: [], ending: taken.ending, usage: used(taken.amount) });
        return;
      case "cancel":
        await cancelRun(core, { caller, agentId, runId });
        return;
      case "interrupt":
        await leaveRun(core, runId);
        return;
      case "park": {
        const kept = {
          entry: 1,
          kind: "begun",
          version: 1,
          body: "",
          tree: null,
          turn: null,
          seq: null,
        } as const;
        if ((await core.store.committed.journal.list(runId)).length === 0)
          await core.store.transact((tx) => tx.journal.append({ runId, ...kept }));
        const waitsFor = { reason: "max_turns" as const };
        await parkRun(core, { ...held, waitsFor, events: [], usage: used(5_000), workedMs: 10 });
        return;
      }
      case "resume": {
        const given = { message: null, maxCostMicroUsd: null, maxTokens: null };
        await resumeRun(core, { caller, agentId, runId, given });
        await takeRun(core, runId);
        return;
      }
      case "delegate": {
        const childId = core.random.uuid(clock.now());
        const child = { runId: childId, maxTurnTokens: 0, maxCostMicroUsd: null, timeLimitMs: 1_000 };
        const messages = [{ role: "user" as const, content: "part" }];
        const delegated = await delegateRun(core, { parent: held, ...child, messages });
        if (!delegated.ok) return;
        this.#runs.push(childId);
        await takeRun(core, childId);
        return;
      }
    }
  }
}

function used(microUsd: number): Usage {
  return { roles: { executor: { tokens: 10, calls: 1, microUsd } }, advisor: null };
}
