// Making agents under races, caps, plans and keys; stopping and retiring them; paging through their runs.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CreateAgentRequest } from "../../../../src/contract/agents/agent.ts";
import type { AccountCaller } from "../../../../src/service/core/accounts/caller.ts";
import { grantCredits, openAccount } from "../../../../src/service/core/accounts/keys.ts";
import { retireAgent } from "../../../../src/service/core/agent-endings/retire-agent.ts";
import type { Agent } from "../../../../src/service/core/agents/agent.ts";
import { createAgent } from "../../../../src/service/core/agents/create-agent.ts";
import { findAgent, listAgents, updateAgent } from "../../../../src/service/core/agents/manage-agent.ts";
import type { Plan } from "../../../../src/service/core/money/plan.ts";
import type { Rates } from "../../../../src/service/core/money/rates.ts";
import { listRuns } from "../../../../src/service/core/runs/list-runs.ts";
import { stopAgent } from "../../../../src/service/core/runs/stop-agent.ts";
import { defaultRates } from "../../../../src/service/settings/default-rates.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const RACERS = 50;
const MAX_AGENTS = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

const rates: Rates = {
  ...defaultRates,
  plans: {
    registered_free: {
      firstCredits: 100,
      maxAgents: MAX_AGENTS,
      maxWorkspaces: MAX_AGENTS,
      maxConcurrentRuns: null,
      weight: 1,
      mayUsePaidModels: false,
    },
    subscribed: {
      firstCredits: 0,
      maxAgents: null,
      maxWorkspaces: null,
      maxConcurrentRuns: null,
      weight: 1,
      mayUsePaidModels: true,
    },
  },
  models: [
    { id: "small", inNanoUsdPerToken: 0, outNanoUsdPerToken: 0, isFreeTierEligible: true },
    { id: "grand", inNanoUsdPerToken: 3_000, outNanoUsdPerToken: 15_000, isFreeTierEligible: false },
  ],
};

onEveryStore((kind) => {
  describe("agents", () => {
    let fixture: CoreFixture;
    let owner: AccountCaller;

    const open = async (plan: Plan): Promise<AccountCaller> => {
      const { id: accountId } = await openAccount(fixture.core, plan);
      return { kind: "account", accountId, callerClass: "owner", personId: null, role: "owner" };
    };
    const create = (body: CreateAgentRequest, options: { key?: string; caller?: AccountCaller } = {}) =>
      createAgent(fixture.core, {
        caller: options.caller ?? owner,
        body,
        idempotencyKey: options.key ?? null,
      });
    const made = async (...request: Parameters<typeof create>): Promise<Agent> => {
      const created = await create(...request);
      if (!created.ok) throw new Error(`The agent was refused: ${created.refusal.reason}`);
      return created.value.agent;
    };
    const reasonOf = async (...request: Parameters<typeof create>): Promise<string> => {
      const created = await create(...request);
      return created.ok ? "made" : created.refusal.reason;
    };
    const submit = async (agentId: string): Promise<string> => {
      const submission = { caller: owner, agentId, body: { message: "go" }, idempotencyKey: null };
      const submitted = await fixture.submitter.submit(submission);
      if (!submitted.ok) throw new Error(`The run was refused: ${submitted.refusal.reason}`);
      return submitted.value.runId;
    };
    const countAgents = () => fixture.store.committed.agents.count(owner.accountId);

    beforeEach(async () => {
      fixture = await startFixture({
        level: "core",
        store: kind,
        rates,
        backend: scriptedBackend(untilStopped),
      });
      owner = await open("registered_free");
    });

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    it(`are one when ${RACERS} requests at once ask to get or create it`, async () => {
      const body: CreateAgentRequest = { name: "reviewer", if_exists: "return" };
      const results = await Promise.all(Array.from({ length: RACERS }, () => create(body)));
      const created = results.flatMap((result) => (result.ok ? [result.value] : []));
      expect(created).toHaveLength(RACERS);
      expect(new Set(created.map(({ agent }) => agent.id)).size).toBe(1);
      expect(created.filter(({ isExisting }) => !isExisting)).toHaveLength(1);
      expect(await countAgents()).toBe(1);
    });

    it("are made anew under the same name where the request does not ask for the existing one", async () => {
      const [first, second] = [await made({ name: "a" }), await made({ name: "a", if_exists: "error" })];
      expect(second.id).not.toBe(first.id);
      // The oldest of the name is the one that is found.
      expect((await made({ name: "a", if_exists: "return" })).id).toBe([first.id, second.id].sort().at(0));
    });

    it("are never more than the plan allows, also when they race", async () => {
      const reasons = await Promise.all(
        Array.from({ length: 12 }, (_, index) => reasonOf({ name: `agent-${index}` })),
      );
      expect(reasons.filter((reason) => reason === "made")).toHaveLength(MAX_AGENTS);
      expect(reasons.filter((reason) => reason === "agent_cap_reached")).toHaveLength(12 - MAX_AGENTS);
      expect(await countAgents()).toBe(MAX_AGENTS);
    });

    it("are still found at the cap, and make room when they are retired", async () => {
      const agents = [await made({ name: "a" }), await made({ name: "b" }), await made({ name: "c" })];
      expect(await made({ name: "b", if_exists: "return" })).toEqual(agents[1]);
      expect(await reasonOf({ name: "d" })).toBe("agent_cap_reached");
      await retireAgent(fixture.core, { caller: owner, agentId: agents[1]?.id ?? "" });
      // Its name is free too.
      expect((await made({ name: "b", if_exists: "return" })).id).not.toBe(agents[1]?.id);
    });

    it("run the models that there are, and the plan's", async () => {
      expect(await reasonOf({ name: "a", model: "none" })).toBe("model_unknown");
      expect(await reasonOf({ name: "a", model: "grand" })).toBe("model_forbidden");
      expect((await made({ name: "a", model: "small" })).model).toBe("small");
      const billingAccount = await open("subscribed");
      expect((await made({ name: "a", model: "grand" }, { caller: billingAccount })).model).toBe("grand");
    });

    it(`are one when ${RACERS} requests at once have the same key`, async () => {
      const results = await Promise.all(
        Array.from({ length: RACERS }, () => create({ name: "a", kind: "independent" }, { key: "k" })),
      );
      const created = results.flatMap((result) => (result.ok ? [result.value] : []));
      expect(created).toHaveLength(RACERS);
      expect(new Set(created.map(({ agent }) => agent.id)).size).toBe(1);
      expect(created.filter(({ isExisting }) => !isExisting)).toHaveLength(1);
    });

    it("keep their key for a day, for one account and one request", async () => {
      const body: CreateAgentRequest = { name: "a", kind: "independent", config: { x: 1, y: [{ z: 2 }] } };
      expect(await reasonOf(body)).toBe("agent_key_missing");
      const agent = await made(body, { key: "k" });
      expect(await made({ ...body, config: { y: [{ z: 2 }], x: 1 } }, { key: "k" })).toEqual(agent);
      expect(await reasonOf({ ...body, config: { x: 1 } }, { key: "k" })).toBe("key_reused");
      expect(await reasonOf({ ...body, name: "b" }, { key: "k" })).toBe("key_reused");
      const stranger = await open("registered_free");
      expect((await made({ ...body, name: "b" }, { key: "k", caller: stranger })).id).not.toBe(agent.id);
      fixture.clock.advance(DAY_MS - 1);
      expect((await made(body, { key: "k" })).id).toBe(agent.id);
      fixture.clock.advance(1);
      expect((await made(body, { key: "k" })).id).not.toBe(agent.id);
      expect(await countAgents()).toBe(2);
    });

    it("give a key that was refused back", async () => {
      expect(await reasonOf({ name: "a", model: "grand" }, { key: "k" })).toBe("model_forbidden");
      expect(await reasonOf({ name: "a" }, { key: "k" })).toBe("made");
    });

    it("end their runs when they are stopped, and take new ones", async () => {
      const [agent, other] = [await made({ name: "a" }), await made({ name: "b" })];
      await grantCredits(fixture.core, { accountId: owner.accountId, credits: 1_000 });
      fixture.executor.start();
      const running = [await submit(agent.id), await submit(agent.id)];
      for (const runId of running) await fixture.until(runId, ({ status }) => status === "running");
      const queued: string[] = [];
      for (let index = 0; index < 45; index += 1) queued.push(await submit(agent.id));
      const spared = await submit(other.id);

      const stopped = await stopAgent(fixture.core, { caller: owner, agentId: agent.id });
      expect(stopped).toEqual({ ok: true, value: agent });
      for (const runId of [...running, ...queued]) {
        expect(await fixture.ended(runId)).toMatchObject({ status: "cancelled", cause: "user_stop" });
      }
      await fixture.until(spared, ({ status }) => status === "running");
      expect((await stopAgent(fixture.core, { caller: owner, agentId: agent.id })).ok).toBe(true);
      const next = await submit(agent.id);
      await fixture.until(next, ({ status }) => status === "running");
      for (const agentId of [agent.id, other.id]) await stopAgent(fixture.core, { caller: owner, agentId });
      for (const runId of [next, spared]) await fixture.ended(runId);
    });

    it("take no work once they are retired, however often, and finish what they have", async () => {
      const agent = await made({ name: "a" });
      const runId = await submit(agent.id);
      const retired = await retireAgent(fixture.core, { caller: owner, agentId: agent.id });
      fixture.clock.advance(1_000);
      expect(await retireAgent(fixture.core, { caller: owner, agentId: agent.id })).toEqual(retired);
      await expect(submit(agent.id)).rejects.toThrow("agent_retired");
      expect((await fixture.run(runId)).status).toBe("queued");
      await stopAgent(fixture.core, { caller: owner, agentId: agent.id });
      expect((await fixture.run(runId)).status).toBe("cancelled");
    });

    it("are listed newest first, independent ones where asked for", async () => {
      const names = async (caller: AccountCaller, withIndependent: boolean) => {
        const listed = await listAgents(fixture.core, { caller, withIndependent });
        return listed.ok ? listed.value.map(({ name }) => name) : listed.refusal.reason;
      };
      await made({ name: "first" });
      fixture.clock.advance(1);
      await made({ name: "alone", kind: "independent" }, { key: "k" });
      fixture.clock.advance(1);
      await made({ name: "last" });
      expect(await names(owner, false)).toEqual(["last", "first"]);
      expect(await names(owner, true)).toEqual(["last", "alone", "first"]);
      expect(await names(await open("subscribed"), true)).toEqual([]);
    });

    it("change in what was asked for alone", async () => {
      const agent = await made({ name: "a" });
      const request = { caller: owner, agentId: agent.id, requestId: "r" };
      const set = (cap?: number | null) =>
        updateAgent(fixture.core, {
          ...request,
          body: cap === undefined ? {} : { advisor_max_spend_micro_usd: cap },
        });
      for (const [cap, seen] of [
        [0, 0],
        [undefined, 0],
        [9_007_199_254_740_991, 9_007_199_254_740_991],
        [null, null],
      ] as const) {
        const expected = { ok: true, value: { ...agent, advisorMaxSpendMicroUsd: seen } };
        expect(await set(cap)).toEqual(expected);
        expect(await findAgent(fixture.core, request)).toEqual(expected);
      }
    });

    it("show their runs page by page, newest first, each once", async () => {
      const [agent, other] = [await made({ name: "a" }), await made({ name: "b" })];
      const submitted: string[] = [];
      for (let index = 0; index < 7; index += 1) {
        fixture.clock.advance(1);
        submitted.unshift(await submit(agent.id));
        await submit(other.id);
      }
      const seen: string[][] = [];
      for (let before: string | null = null; ; ) {
        const page = await listRuns(fixture.core, {
          caller: owner,
          agentId: agent.id,
          sessionKey: null,
          before,
          limit: 3,
        });
        if (!page.ok) throw new Error(page.refusal.reason);
        seen.push(page.value.runs.map(({ id }) => id));
        before = page.value.next;
        if (before === null) break;
      }
      expect(seen).toEqual([submitted.slice(0, 3), submitted.slice(3, 6), submitted.slice(6)]);
      const whole = await listRuns(fixture.core, {
        caller: owner,
        agentId: agent.id,
        sessionKey: null,
        before: null,
        limit: 7,
      });
      expect(whole).toMatchObject({ ok: true, value: { next: null } });
      expect(
        await listRuns(fixture.core, {
          caller: owner,
          agentId: "none",
          sessionKey: null,
          before: null,
          limit: 7,
        }),
      ).toEqual({
        ok: false,
        refusal: { reason: "agent_not_found", agentId: "none" },
      });
    });

    it("are an account's: neither a job's nor a stranger's", async () => {
      const agent = await made({ name: "a" });
      const [job, stranger] = [await fixture.caller(), await open("subscribed")];
      const refusals = (caller: typeof job | AccountCaller) => {
        const query = { caller, agentId: agent.id };
        return Promise.all(
          [
            findAgent(fixture.core, query),
            updateAgent(fixture.core, { ...query, requestId: "r", body: { advisor_max_spend_micro_usd: 1 } }),
            stopAgent(fixture.core, query),
            retireAgent(fixture.core, query),
          ].map(async (result) => {
            const settled = await result;
            return settled.ok ? "done" : settled.refusal.reason;
          }),
        );
      };
      expect(new Set(await refusals(job))).toEqual(new Set(["account_needed"]));
      expect(new Set(await refusals(stranger))).toEqual(new Set(["agent_of_another"]));
      const creation = { caller: job, body: { name: "a" }, idempotencyKey: null };
      expect(await createAgent(fixture.core, creation)).toMatchObject({
        refusal: { reason: "account_needed" },
      });
      expect(await findAgent(fixture.core, { caller: owner, agentId: agent.id })).toEqual({
        ok: true,
        value: agent,
      });
    });
  });
});
