// An execution of a workflow costs what the rate card says, in place of the fee of a run.

import { afterEach, describe, expect, it } from "vitest";
import { runSchema } from "../../../../src/contract/runs/run.ts";
import { executeWorkflowResponseSchema } from "../../../../src/contract/workflows.ts";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import { RUN_FEE_MICRO_USD } from "../../../../src/service/core/money/ledger.ts";
import type { Rates } from "../../../../src/service/core/money/rates.ts";
import { costOfTime, workflowPrice } from "../../../../src/service/core/money/run-price.ts";
import { finishRun, takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { putWorkflow } from "../../../../src/service/core/workflows/workflows.ts";
import type { Backend } from "../../../../src/service/executor/backend.ts";
import { defaultRates } from "../../../../src/service/settings/default-rates.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { scriptedBackend } from "../../../support/scripted-backend.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../support/service-account.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const MINUTE_MS = 60_000;

function ratesWith(workflow: Partial<Rates["workflow"]>): Rates {
  const poor = { ...defaultRates.plans.registered_free, firstCredits: 0 };
  return {
    ...defaultRates,
    plans: { ...defaultRates.plans, registered_free: poor },
    workflow: { ...defaultRates.workflow, ...workflow },
  };
}

describe("the price of an execution", () => {
  it("is a run's own by default, so that nothing of it is stored", () => {
    expect(workflowPrice(defaultRates)).toBeNull();
    expect(costOfTime(null, 99 * MINUTE_MS)).toBe(RUN_FEE_MICRO_USD);
  });

  it("counts each minute that has begun after those included", () => {
    const price = workflowPrice(
      ratesWith({ execCredits: 3, includedSeconds: 90, longRunCreditsPerMinute: 2 }),
    );
    const costs = [0, 90_000, 90_001, 150_000, 150_001].map((ms) => costOfTime(price, ms));
    expect(costs).toEqual([25_000, 25_000, 41_666, 41_666, 58_332]);
  });
});

onEveryStore((kind) => {
  describe("executions of a workflow", () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let account: TestAccount;
    let workflowId: string;

    const start = async (workflow: Partial<Rates["workflow"]>, credits: number, backend?: Backend) => {
      fixture = await startFixture({
        level: "core",
        store: kind,
        rates: ratesWith(workflow),
        ...(backend === undefined ? {} : { backend }),
      });
      api = await openCaller(fixture);
      account = await makeAccount(fixture);
      if (credits > 0) await grantCredits(fixture.core, { accountId: account.id, credits });
      const written = await putWorkflow(fixture.core, {
        agentId: account.agent.id,
        id: null,
        name: "nightly",
        prompt: "Look.",
      });
      if (!written.ok) throw new Error(written.refusal.reason);
      workflowId = written.value.id;
    };
    const execute = () =>
      api.send(`/v1/workflows/${workflowId}/executions`, { method: "POST", bearer: account.owner, json: {} });
    /** Executes it and lets that take `ms`. */
    const executeFor = async (ms: number, microUsd = 0) => {
      const answer = await execute();
      const { run_id: runId } = executeWorkflowResponseSchema.parse(answer.body);
      const taken = await takeRun(fixture.core, runId);
      fixture.clock.advance(ms);
      const usage = { roles: { executor: { tokens: 10, calls: 1, microUsd } }, advisor: null };
      const ending = { status: "completed", stopReason: "end_turn" } as const;
      await finishRun(fixture.core, { runId, fence: taken?.run.fence ?? 0, events: [], ending, usage });
      const path = `/v1/agents/${account.agent.id}/runs/${runId}`;
      return runSchema.parse((await api.send(path, { bearer: account.owner })).body);
    };
    const balance = async () =>
      (await api.send(`/v1/users/${account.id}/credits`, { bearer: account.owner })).body as {
        balance: number;
      };

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await api.close();
    });

    it("are charged exec_credits, which is the executor's cost", async () => {
      await start({ execCredits: 3 }, 10);
      expect(await executeFor(MINUTE_MS)).toMatchObject({
        credits: 3,
        gross_micro_usd: 25_000,
        usage_by_role: { executor: { credits: 3, micro_usd: 25_000, calls: 1 } },
      });
      expect((await balance()).balance).toBe(7);
    });

    it("cost nothing but their model where exec_credits is 0", async () => {
      await start({ execCredits: 0 }, 0);
      const run = await executeFor(MINUTE_MS);
      expect(run).toMatchObject({ status: "completed", credits: 0 });
      expect(run).not.toHaveProperty("gross_micro_usd");
    });

    it("are refused where the credits do not suffice for exec_credits", async () => {
      await start({ execCredits: 3 }, 2);
      expect((await execute()).status).toBe(402);
      expect((await balance()).balance).toBe(2);
    });

    it("are charged for each minute beyond those included, as far as the credits go", async () => {
      await start({ execCredits: 1, includedSeconds: 60, longRunCreditsPerMinute: 2 }, 10);
      // Two minutes and a half beyond the first: three have begun.
      expect(await executeFor(3.5 * MINUTE_MS)).toMatchObject({
        credits: 7,
        gross_micro_usd: 8_333 + 49_998,
      });
      expect((await balance()).balance).toBe(3);
      const last = await executeFor(60 * MINUTE_MS);
      expect(last.credits).toBe(3);
      expect((await balance()).balance).toBe(0);
    });

    it.each([
      ["forward", 60 * MINUTE_MS],
      ["back", -60 * MINUTE_MS],
    ])("are charged for the time that passed, not for a clock that is set %s", async (_way, byMs) => {
      const price = { execCredits: 1, includedSeconds: 60, longRunCreditsPerMinute: 2 };
      const backend = scriptedBackend(async () => {
        fixture.clock.advance(2 * MINUTE_MS);
        fixture.clock.setWall(byMs);
      });
      await start(price, 50, backend);
      fixture.executor.start();
      const { run_id: runId } = executeWorkflowResponseSchema.parse((await execute()).body);
      expect((await fixture.ended(runId)).grossMicroUsd).toBe(8_333 + 16_666);
      await fixture.executor.drain(0);
    });

    it("keep their price when the service gets other rates meanwhile", async () => {
      await start({ execCredits: 3, includedSeconds: 0, longRunCreditsPerMinute: 1 }, 20);
      const answer = await execute();
      const { run_id: runId } = executeWorkflowResponseSchema.parse(answer.body);
      Object.assign(fixture.core, { rates: ratesWith({ execCredits: 9, longRunCreditsPerMinute: 9 }) });
      await takeRun(fixture.core, runId);
      fixture.clock.advance(MINUTE_MS);
      const ending = { status: "completed", stopReason: "end_turn" } as const;
      const usage = { roles: {}, advisor: null };
      await finishRun(fixture.core, { runId, fence: 1, events: [], ending, usage });
      expect((await fixture.run(runId)).grossMicroUsd).toBe(25_000 + 8_333);
    });
  });
});
