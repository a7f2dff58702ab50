// A claim given back, on both stores: whose the agent is afterwards, and what of the account's goes on.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { releaseClaim } from "../../../../src/service/core/agent-endings/release-claim.ts";
import { updateAgent } from "../../../../src/service/core/agents/manage-agent.ts";
import { accountWallet } from "../../../../src/service/core/money/ledger.ts";
import { putWorkflow } from "../../../../src/service/core/workflows/workflows.ts";
import { ClaimFixture, type Repository } from "../../../support/fixtures/claim-fixture.ts";
import { runCommand } from "../../../support/run/run-command.ts";
import type { TestAccount } from "../../../support/service-account.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("a released claim", () => {
    let fixture: ClaimFixture;
    let account: TestAccount;
    let repository: Repository;
    let agentId: string;

    const release = (id: string) => releaseClaim(fixture.core.core, { agentId: id, requestId: "operator" });
    const submit = (bearer: string, message: string) =>
      fixture.api.send(`/v1/agents/${agentId}/runs`, { method: "POST", bearer, json: { message } });

    beforeEach(async () => {
      fixture = await ClaimFixture.start(kind);
      account = await fixture.account();
      repository = fixture.repository();
      await fixture.pending(account, repository);
      agentId = (await fixture.exchange(repository, { account: account.id })).agent_id;
    });

    afterEach(() => fixture.api.close());

    it("leaves the agent unclaimed, so that it can be claimed again", async () => {
      expect(await release(agentId)).toMatchObject({
        ok: true,
        value: { agentId, accountId: account.id, repository: { name: repository.name } },
      });
      expect((await submit(account.owner, "go")).status).toBe(403);
      const exchanged = await fixture.exchange(repository);
      expect([exchanged.agent_id, exchanged.quota.audience]).toEqual([agentId, "anon"]);
      expect(exchanged.claim_url).not.toBeNull();

      const next = await fixture.account();
      await fixture.pending(next, repository);
      await fixture.exchange(repository, { account: next.id });
      expect((await fixture.core.store.committed.agents.find(agentId))?.accountId).toBe(next.id);
    });

    it("is what the operator's command does beside the service, says, and leaves in the audit log", async () => {
      const { dataDir, databaseUrl } = fixture.core.place.settings;
      const env = { DATA_DIR: dataDir, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) };
      const scheduled = await fixture.api.send(`/v1/agents/${agentId}/schedules`, {
        method: "POST",
        bearer: account.owner,
        json: { prompt: "later", delay_seconds: 60 },
      });
      expect(scheduled.status).toBe(201);
      const released = await runCommand(["claim", "release", agentId], env);
      expect(released).toEqual({
        code: 0,
        signal: null,
        stderr: "",
        stdout: `The agent of ${repository.name} is not account ${account.id}'s any more. Its workflows are not active. Schedules cancelled: 1. Its next job prints a claim link when it needs a billing account.`,
      });
      const again = await runCommand(["claim", "release", agentId, "--json"], env);
      expect([again.code, again.stdout]).toEqual([1, ""]);

      await fixture.pending(account, repository);
      await fixture.exchange(repository, { account: account.id });
      const printed = await runCommand(["claim", "release", agentId, "--json"], env);
      expect(JSON.parse(printed.stdout)).toEqual({
        agent_id: agentId,
        repository: repository.name,
        account_id: account.id,
        cancelled_schedules: 0,
      });
      const audit = await runCommand(["audit", "--account", account.id, "--json"], env);
      expect([audit.code, audit.stderr]).toEqual([0, ""]);
      const entries: unknown[] = audit.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const entry = { action: "release", outcome: "ok", repository: repository.name, request_id: "operator" };
      expect(entries.filter((one) => (one as typeof entry).action === "release")).toEqual([
        expect.objectContaining(entry),
        expect.objectContaining(entry),
      ]);
    });

    it("keeps runs and sessions, and a run in flight its billing account", async () => {
      const { run_id } = (await submit(account.owner, "wait")).body as { run_id: string };
      await fixture.core.until(run_id, ({ status }) => status === "running");
      await release(agentId);
      const run = await fixture.core.run(run_id);
      expect(run).toMatchObject({ status: "running", billingAccount: accountWallet(account.id), agentId });
      expect((await fixture.core.store.committed.sessions.find(run.sessionId))?.agentId).toBe(agentId);
    });

    it("ends what the account set up to happen later", async () => {
      const scheduled = await fixture.api.send(`/v1/agents/${agentId}/schedules`, {
        method: "POST",
        bearer: account.owner,
        json: { prompt: "later", delay_seconds: 60 },
      });
      const { id } = scheduled.body as { id: string };
      const written = await putWorkflow(fixture.core.core, { agentId, id: null, name: "w", prompt: "p" });
      if (!written.ok) throw new Error(written.refusal.reason);
      const path = `/v1/workflows/${written.value.id}/activate`;
      expect((await fixture.api.send(path, { method: "POST", bearer: account.owner })).status).toBe(200);

      expect(await release(agentId)).toMatchObject({ value: { cancelledSchedules: 1 } });
      expect((await fixture.core.store.committed.schedules.find(id))?.status).toBe("cancelled");
      expect((await fixture.core.store.committed.workflows.find(written.value.id))?.activeVersion).toBeNull();
    });

    it("ends the account's policy on CI jobs, also one that is set at the same moment", async () => {
      const { core } = fixture.core;
      const caller = {
        kind: "account",
        accountId: account.id,
        callerClass: "owner",
        personId: null,
        role: "owner",
      } as const;
      const body = { ci_policy: { events: ["schedule"] }, egress: ["registries", "A.example"] };
      const set = () => updateAgent(core, { caller, agentId, body, requestId: "set" });
      expect(await set()).toMatchObject({
        ok: true,
        value: { ciPolicy: body.ci_policy, egress: ["registries", "a.example"] },
      });
      // Found as the account's, and released before the change is written.
      const transact = core.store.transact.bind(core.store);
      const late = Object.create(core.store, {
        transact: {
          value: async (...args: Parameters<typeof transact>) => {
            await release(agentId);
            return await transact(...args);
          },
        },
      });
      const raced = await updateAgent({ ...core, store: late }, { caller, agentId, body, requestId: "late" });
      expect(raced).toMatchObject({ ok: false, refusal: { reason: "agent_of_another" } });
      expect(await core.store.committed.agents.find(agentId)).toMatchObject({
        accountId: null,
        ciPolicy: null,
        egress: null,
      });
      expect((await fixture.exchange(repository)).agent_id).toBe(agentId);
    });

    it("leaves an audit entry", async () => {
      await release(agentId);
      const rows = await fixture.core.place.query(
        "select action, outcome, account_id, repository_id from audit_entries where action = 'release'",
      );
      expect(rows).toEqual([
        { action: "release", outcome: "ok", account_id: account.id, repository_id: repository.id },
      ]);
    });

    it("is refused where there is none", async () => {
      await release(agentId);
      expect(await release(agentId)).toMatchObject({ refusal: { reason: "agent_unclaimed" } });
      expect(await release("nothing")).toMatchObject({ refusal: { reason: "agent_not_found" } });
      expect(await release(account.agent.id)).toMatchObject({
        refusal: { reason: "agent_without_repository" },
      });
    });
  });
});
