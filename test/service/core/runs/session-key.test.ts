// Runs by session key, on both stores: the race for a new one, what a refusal leaves, and the end of a claim.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { releaseClaim } from "../../../../src/service/core/agent-endings/release-claim.ts";
import { accountWallet } from "../../../../src/service/core/money/ledger.ts";
import type { Store } from "../../../../src/service/core/ports/store.ts";
import { RunSubmitter } from "../../../../src/service/core/runs/submit-run.ts";
import { ClaimFixture, type Repository } from "../../../support/fixtures/claim-fixture.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import type { TestAccount } from "../../../support/service-account.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { withWrites } from "../../../support/wrapped-store.ts";

/** Runs `before` when a transaction is about to take a session key. */
function beforeKeyIsTaken(store: Store, before: () => Promise<void>): Store {
  return withWrites(store, (tx) => ({
    sessions: {
      insertKey: async (key) => {
        await before();
        return await tx.sessions.insertKey(key);
      },
    },
  }));
}

onEveryStore((kind) => {
  describe("a session key", () => {
    let fixture: CoreFixture;
    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store: kind });
    });
    afterEach(() => fixture.close());

    const sessions = () => fixture.place.query("select id from sessions");

    it("gives runs that come at once one session, and leaves no other", async () => {
      await fixture.caller();
      const submitted = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          fixture.trySubmit({ message: `hello ${index}`, session_key: "thread-7" }),
        ),
      );
      const runs = submitted.map((run) => (run.ok ? run.value : null));
      expect(new Set(runs.map((run) => run?.runId)).size).toBe(10);
      expect(new Set(runs.map((run) => run?.sessionId)).size).toBe(1);
      expect(await sessions()).toEqual([{ id: runs[0]?.sessionId }]);
    });

    it("is not left by a run that was refused", async () => {
      const { capability } = await fixture.caller();
      const agent = await fixture.store.committed.agents.find(capability.agentId);
      await fixture.store.transact((tx) => tx.agents.update(capability.agentId, { retiredAt: 1 }));
      const refused = await fixture.trySubmit({ message: "x", session_key: "k" });
      expect(refused).toMatchObject({ ok: false, refusal: { reason: "agent_retired" } });
      expect(
        await fixture.store.committed.sessions.findByKey({ agentId: agent?.id ?? "", key: "k" }),
      ).toBeNull();
    });

    it("is refused for now where it can not be had", async () => {
      const { capability } = await fixture.caller();
      let tries = 0;
      const store = withWrites(fixture.store, () => {
        tries += 1;
        return { sessions: { insertKey: async () => false } };
      });
      const submitted = await new RunSubmitter({ ...fixture.core, store }).submit({
        caller: await fixture.caller(),
        agentId: capability.agentId,
        body: { message: "x", session_key: "k" },
        idempotencyKey: null,
      });
      expect(submitted).toEqual({ ok: false, refusal: { reason: "session_key_in_flight", key: "k" } });
      expect(tries).toBe(2);
      expect(await sessions()).toEqual([]);
      expect(await fixture.place.query("select run_id from run_inputs")).toEqual([]);
    });

    if (kind.name === "PostgreSQL")
      it("is one node's, and the other goes on in its session", async () => {
        const caller = await fixture.caller();
        const [one, other] = [await fixture.place.open(), await fixture.place.open()];
        // Both have looked, and found the key free, before either takes it: the agent's lock is not held by these two.
        const arrived = { count: 0, both: Promise.withResolvers<void>() };
        const together = (store: Store): Store =>
          withWrites(store, (tx) => ({
            agents: { lock: (id) => tx.agents.find(id) },
            sessions: {
              insertKey: async (key) => {
                arrived.count += 1;
                if (arrived.count === 2) arrived.both.resolve();
                await arrived.both.promise;
                return await tx.sessions.insertKey(key);
              },
            },
          }));
        const submitted = await Promise.all(
          [one, other].map((store) =>
            new RunSubmitter({ ...fixture.core, store: together(store) }).submit({
              caller,
              agentId: caller.capability.agentId,
              body: { message: "hello", session_key: "thread-7" },
              idempotencyKey: null,
            }),
          ),
        );
        const runs = submitted.map((run) => (run.ok ? run.value : null));
        expect(arrived.count).toBe(2);
        expect(new Set(runs.map((run) => run?.runId)).size).toBe(2);
        expect(runs[0]?.sessionId).toBe(runs[1]?.sessionId);
        expect(await sessions()).toEqual([{ id: runs[0]?.sessionId }]);
        expect((await fixture.place.query("select id from runs")).length).toBe(2);
        await Promise.all([one.close(), other.close()]);
      });
  });

  describe("a session key of a repository's agent", () => {
    let fixture: ClaimFixture;
    let account: TestAccount;
    let repository: Repository;
    let agentId: string;

    beforeEach(async () => {
      fixture = await ClaimFixture.start(kind);
      account = await fixture.account();
      repository = fixture.repository();
      await fixture.pending(account, repository);
      agentId = (await fixture.exchange(repository, { account: account.id })).agent_id;
    });

    afterEach(() => fixture.api.close());

    const submit = async (bearer: string, json: Readonly<Record<string, unknown>>) =>
      await fixture.api.send(`/v1/agents/${agentId}/runs`, {
        method: "POST",
        bearer,
        json: { message: "go", ...json },
      });
    const sessionOf = async (bearer: string) => {
      const answer = await submit(bearer, { session_key: "thread-7" });
      return (answer.body as { session_id: string }).session_id;
    };
    const release = () => releaseClaim(fixture.core.core, { agentId, requestId: "operator" });

    it("is the owner's and the jobs' alike, and begins anew for the next owner", async () => {
      const first = await sessionOf(account.owner);
      const job = (await fixture.exchange(repository)).access_token;
      expect(await sessionOf(job)).toBe(first);
      expect(await release()).toMatchObject({ ok: true });
      const next = await fixture.account();
      await fixture.pending(next, repository);
      await fixture.exchange(repository, { account: next.id });
      const second = await sessionOf(next.owner);
      expect(second).toMatch(/^[0-9a-f-]{36}$/);
      expect(second).not.toBe(first);
      expect(await sessionOf(job)).toBe(second);
    });

    if (kind.name === "PostgreSQL")
      it("does not outlast a release of the same moment", async () => {
        const { core, place } = fixture.core;
        const waiting =
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%agents%'";
        const released: Promise<unknown>[] = [];
        const store = beforeKeyIsTaken(fixture.core.store, async () => {
          let isDone = false;
          released.push(
            release().finally(() => {
              isDone = true;
            }),
          );
          // It waits for the submission; or it is over, and frees a key that is not there yet.
          while (!isDone && (await place.query(waiting)).length === 0);
        });
        const submitted = await new RunSubmitter({ ...core, store }).submit({
          caller: {
            kind: "account",
            accountId: account.id,
            callerClass: "owner",
            personId: null,
            role: "owner",
          },
          agentId,
          body: { message: "go", session_key: "thread-7" },
          idempotencyKey: null,
        });
        expect(submitted.ok).toBe(true);
        await Promise.all(released);
        expect(released).toHaveLength(1);
        expect(
          await fixture.core.store.committed.sessions.findByKey({ agentId, key: "thread-7" }),
        ).toBeNull();
        const run = submitted.ok ? await fixture.core.run(submitted.value.runId) : null;
        expect(run?.billingAccount).toBe(accountWallet(account.id));
      });
  });
});
