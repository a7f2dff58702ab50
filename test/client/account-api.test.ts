// The client's methods for an account, against the real service.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../src/client/client.ts";
import { ApiError } from "../../src/client/errors.ts";
import { makeTestKey, type TestKey } from "../support/account-key.ts";
import { ServiceBed } from "../support/service-bed.ts";
import { storeKinds } from "../support/stores.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";

for (const kind of storeKinds) {
  describe.skipIf(kind.isSkipped)(`the client of an account on ${kind.name}`, () => {
    let bed: ServiceBed;
    let key: TestKey;
    let client: Client;
    let aiClient: Client;
    let other: TestKey;
    let aiSecret: string;

    const clientOf = (secret: string) => createClient({ baseUrl: bed.url, credential: () => secret });
    const makeAgent = async () => (await client.createAgent({ body: { name: "helper" } })).id;

    beforeAll(async () => {
      bed = await ServiceBed.start({ kind, config: { backend: "noop" } });
      await bed.stop();
      key = await makeTestKey(bed.place);
      other = await makeTestKey(bed.place);
      const owner = { accountId: key.accountId };
      aiSecret = (await makeTestKey(bed.place, { owner, callerClass: "ai_client" })).secret;
      await bed.restart();
      client = clientOf(key.secret);
      aiClient = clientOf(aiSecret);
    });

    afterAll(() => bed.close());

    it("makes, finds, lists, changes and retires agents", async () => {
      const body = { name: "reviewer", if_exists: "return" } as const;
      const made = await client.createAgent({ body });
      expect(made).toMatchObject({ name: "reviewer", user_id: key.accountId });
      expect(made.existing).toBeUndefined();
      const found = await client.createAgent({ body });
      expect([found.id, found.existing]).toEqual([made.id, true]);

      const agent = { agentId: made.id };
      expect((await client.getAgent(agent)).id).toBe(made.id);
      expect((await client.listAgents()).map(({ id }) => id)).toContain(made.id);
      const capped = await client.updateAgent({ ...agent, body: { advisor_max_spend_micro_usd: 0 } });
      expect(capped.advisor_max_spend_micro_usd).toBe(0);
      expect((await client.stopAgent(agent)).id).toBe(made.id);
      expect((await client.retireAgent(agent)).id).toBe(made.id);
      expect((await client.retireAgent(agent)).id).toBe(made.id);
    });

    it("makes one agent however often the request arrives", async () => {
      const create = () =>
        client.createAgent({ body: { name: "once" }, idempotencyKey: "agent-key" }).then(({ id }) => id);
      expect(new Set([await create(), await create()])).toHaveProperty("size", 1);
      const independent = await client.createAgent({ body: { name: "member", kind: "independent" } });
      const idsOf = async (includeIndependent: boolean) =>
        (await client.listAgents({ includeIndependent })).map(({ id }) => id);
      expect(await idsOf(true)).toContain(independent.id);
      expect(await idsOf(false)).not.toContain(independent.id);
    });

    it("submits runs, follows them, and lists them a page at a time", async () => {
      const agentId = await makeAgent();
      const ids: string[] = [];
      for (const message of ["one", "two", "three"]) {
        const { runId } = await client.submitRun({ agentId, body: { message } });
        const types: string[] = [];
        for await (const { event } of client.follow({ runId })) types.push(event.type);
        expect([types.at(0), types.at(-1)]).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
        ids.unshift(runId);
        bed.clock.advance(1);
      }
      expect((await client.getRun({ agentId, runId: ids[0] ?? "" })).status).toBe("completed");
      const first = await client.listRuns({ agentId, limit: 2 });
      const second = await client.listRuns({ agentId, limit: 2, before: first.at(-1)?.id });
      expect([...first, ...second].map(({ id }) => id)).toEqual(ids);
      await expect(client.cancelRun({ agentId, runId: ids[0] ?? "" })).rejects.toMatchObject({
        code: "run_finished",
      });
    });

    it("makes schedules, which the owner alone confirms, and cancels them", async () => {
      const agentId = await makeAgent();
      const body = { prompt: "later", delay_seconds: 3600 };
      const pending = await client.createSchedule({ agentId, body });
      expect(pending.status).toBe("pending");
      const waiting = await aiClient.createSchedule({ agentId, body });
      expect(waiting.status).toBe("awaiting_confirmation");
      const address = { agentId, scheduleId: waiting.id };
      await expect(aiClient.confirmSchedule(address)).rejects.toMatchObject({ status: 403 });
      expect(await client.confirmSchedule(address)).toMatchObject({ status: "pending" });
      expect(await client.confirmSchedule(address)).toMatchObject({ status: "pending" });
      const ids = (await client.listSchedules({ agentId })).map(({ id }) => id);
      expect(new Set(ids)).toEqual(new Set([pending.id, waiting.id]));
      expect((await client.cancelSchedule(address)).status).toBe("cancelled");
      expect((await client.getSchedule(address)).status).toBe("cancelled");
      await expect(client.cancelSchedule(address)).rejects.toMatchObject({ status: 404 });
    });

    it("reads the account's own credits, and the public rate cards without a key", async () => {
      const credits = await client.getCredits({ userId: key.accountId });
      expect(credits).toMatchObject({ audience: "registered_free", peg_cents: 1 });
      expect(credits.balance).toBeGreaterThan(0);
      await expect(client.getCredits({ userId: other.accountId })).rejects.toMatchObject({ status: 403 });
      const anyone = createClient({ baseUrl: bed.url });
      expect((await anyone.modelPricing()).credits_per_usd).toBe(120);
      expect((await anyone.toolPricing()).tools.length).toBeGreaterThan(0);
    });

    it("claims the repository of a claim link", async () => {
      const job = await bed.job({ ...bed.freshRepository(), repository_visibility: "private" });
      const token = job.exchanged.claim_url?.split("/").at(-1) ?? "";
      const claimed = await client.claim({ claim: token });
      expect(claimed).toMatchObject({ agent_id: job.agentId, status: "pending" });
      expect(await client.claim({ claim: token })).toEqual(claimed);
      await expect(aiClient.claim({ claim: token })).rejects.toMatchObject({ status: 403 });
    });

    it("activates and executes workflows", async () => {
      const agentId = await makeAgent();
      const now = bed.clock.now();
      const id = "01a1fc0e-0000-7000-8000-000000000001";
      await bed.stop();
      const store = await bed.place.open();
      await store.transact(async (tx) => {
        const times = { createdAt: now, updatedAt: now };
        await tx.insertWorkflow({ id, agentId, name: "w", version: 1, activeVersion: null, ...times });
        await tx.insertWorkflowVersion({ id, version: 1, prompt: "go", now });
      });
      await store.close();
      await bed.restart();
      client = clientOf(key.secret);
      aiClient = clientOf(aiSecret);
      await expect(aiClient.executeWorkflow({ workflowId: id })).rejects.toMatchObject({ status: 403 });
      expect((await client.activateWorkflow({ workflowId: id })).active_version).toBe(1);
      const execution = await aiClient.executeWorkflow({ workflowId: id, body: { input: "it" } });
      expect(execution.version).toBe(1);
      expect((await client.getRun({ agentId, runId: execution.run_id })).agent_id).toBe(agentId);
    });

    it("rejects with the service's own words for what there is not", async () => {
      const error = await client.getAgent({ agentId: NOBODY }).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 404, code: "not_found" });
      await expect(clientOf("svc_sk_wrong").listAgents()).rejects.toMatchObject({ status: 401 });
    });
  });
}
