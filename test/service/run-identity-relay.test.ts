// The relay at which commands of a run ask for ID tokens: GitHub's wire, the grants of the agent's owner, who can have started the run, and
// its end with the run, with its worker and with the store.

import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeJob } from "../../fakes/records.ts";
import { ok } from "../../src/base/result.ts";
import { exchangeToken } from "../../src/service/core/ci/exchange-token.ts";
import type { AudienceGrant } from "../../src/service/core/run-identity/audience-grant.ts";
import { issuerOf, publishedKeys } from "../../src/service/core/run-identity/identity-keys.ts";
import { usableAudiences } from "../../src/service/core/run-identity/mint-token.ts";
import { requestVariables } from "../../src/service/core/run-identity/request-variables.ts";
import { trustOf } from "../../src/service/core/run-identity/run-trust.ts";
import { leaveRun } from "../../src/service/core/runs/recover-runs.ts";
import type { RunInput, RunRecord } from "../../src/service/core/runs/run-record.ts";
import type { BackendTask, TaskIdentity } from "../../src/service/executor/backend.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { HeldRuns } from "../support/held-runs.ts";
import { dumpPlace } from "../support/service-dump.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { testRelays } from "../support/test-relays.ts";

const AWS = "sts.amazonaws.com";

type Asked = {
  readonly status: number;
  readonly value: string;
  readonly code: string;
  readonly text: string;
};

onEveryStore((kind) => {
  describe("the relay of a run's ID tokens", () => {
    let fixture: CoreFixture;
    let agentId: string;
    let isAway = false;
    const runs = new HeldRuns();

    beforeAll(async () => {
      fixture = await startFixture({
        level: "core",
        store: kind,
        backend: runs.backend,
        slots: 8,
        tokenRelays: testRelays,
        wrapStore: (store) => ({
          ...store,
          committed: store.committed,
          transact: (work, options) => {
            if (isAway) throw new Error("The store is away.");
            return store.transact(work, options);
          },
        }),
      });
      fixture.executor.start();
      ({ agentId } = (await fixture.caller()).capability);
    });
    beforeEach(async () => {
      isAway = false;
      await grant([{ audience: AWS }]);
    });
    afterEach(() => runs.endAll());
    afterAll(async () => await fixture.close());

    async function grant(grants: readonly (Pick<AudienceGrant, "audience"> & Partial<AudienceGrant>)[]) {
      const whole = grants.map((one) => ({ allowsUntrusted: false, grantedAt: 1, ...one }));
      await fixture.store.transact((tx) => tx.runIdentity.setAudiences(agentId, whole));
    }

    /** A run of a job with this event, at work. */
    async function begin(event = "push"): Promise<BackendTask> {
      const verify = async (token: string) =>
        ok({ job: makeJob({ event }), replayKey: token, usableUntil: fixture.clock.now() + 300_000 });
      const core = { ...fixture.core, verifier: { verify } };
      const subjectToken = fixture.core.random.uuid(0);
      const exchanged = await exchangeToken(core, { subjectToken, requestId: "r" });
      if (!exchanged.ok) throw new Error(exchanged.refusal.reason);
      const caller = { kind: "ci_job", capability: exchanged.value.capability } as const;
      const body = { message: "go" };
      const submitted = await fixture.submitter.submit({ caller, agentId, body, idempotencyKey: null });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return await runs.begun(submitted.value.runId);
    }

    async function kept(runId: string): Promise<{ readonly run: RunRecord; readonly input: RunInput }> {
      const input = await fixture.store.committed.runs.findInput(runId);
      return { run: await fixture.run(runId), input: input ?? expect.unreachable() };
    }

    async function identified(task: BackendTask): Promise<TaskIdentity> {
      return (await task.identity?.()) ?? expect.unreachable("It gets no ID tokens.");
    }

    async function ask(
      { commands }: TaskIdentity,
      { audience = AWS, secret = commands.secret, method = "GET" } = {},
    ): Promise<Asked> {
      const { ACTIONS_ID_TOKEN_REQUEST_URL: url } = requestVariables({
        ...commands,
        port: await commands.port(),
      });
      const answer = await fetch(`${url}&audience=${encodeURIComponent(audience)}`, {
        method,
        headers: { authorization: `bearer ${secret}` },
      });
      const text = await answer.text();
      return { value: "", code: "", ...JSON.parse(text), status: answer.status, text };
    }

    it("gives a token that jose verifies, with an audit entry of its run, to whoever has the run's secret", async () => {
      const task = await begin();
      const identity = await identified(task);
      expect(identity.audiences).toEqual([AWS]);
      const { status, value, text } = await ask(identity);
      expect([status, text]).toEqual([200, JSON.stringify({ value })]);
      const keys = ((await publishedKeys(fixture.core)) ?? []).map((key) => JSON.parse(key));
      const { payload } = await jwtVerify(value, createLocalJWKSet({ keys } as JSONWebKeySet), {
        issuer: issuerOf(fixture.core),
        audience: AWS,
        currentDate: new Date(fixture.clock.now()),
      });
      expect(payload).toMatchObject({ run_id: task.runId, agent_id: agentId, trust: "trusted" });
      const rows = await fixture.place.query(
        `select action, outcome, request_id, ci_run_id from audit_entries where id = '${payload.jti}'`,
      );
      expect(rows).toEqual([{ action: "run_token", outcome: AWS, request_id: task.runId, ci_run_id: "500" }]);
      for (const secret of ["", "svc_run_other"])
        expect(await ask(identity, { secret })).toMatchObject({ status: 401, code: "unauthorized" });
      expect(await ask(identity, { method: "POST" })).toMatchObject({ status: 400 });
      for (const audience of ["", "two words", "x".repeat(256)])
        expect(await ask(identity, { audience })).toMatchObject({ status: 400, code: "invalid_request" });
    });

    it("shows neither secret nor token in what the run says, nor anywhere in log and tables", async () => {
      const task = await begin();
      const identity = await identified(task);
      const { value } = await ask(identity);
      const { secret } = identity.commands;
      const delta = `${secret} ${value} ${value.split(".")[2]} ${Buffer.from(secret).toString("base64")}`;
      await task.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
      await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
      await task.emit({ type: "TEXT_MESSAGE_END", messageId: "m" });
      runs.end(task.runId);
      await fixture.ended(task.runId);
      const said = (await fixture.stream(task.runId)).flatMap(({ event }) =>
        event.type === "TEXT_MESSAGE_CONTENT" ? [event.delta] : [],
      );
      expect(said.join("")).toBe("*** *** *** ***");
      const kept = `${await dumpPlace(fixture.place)}${fixture.logs.join("\n")}`;
      for (const hidden of [secret, value, value.split(".")[2] ?? ""]) expect(kept).not.toContain(hidden);
    });

    it("refuses an audience that the owner has not granted, from the next token on", async () => {
      const identity = await identified(await begin());
      expect(await ask(identity, { audience: "vault" })).toMatchObject({ status: 403, code: "forbidden" });
      await grant([{ audience: "vault" }]);
      expect((await ask(identity, { audience: "vault" })).status).toBe(200);
      expect((await ask(identity)).status).toBe(403);
    });

    it("is not there where no audience is granted, for a run of a pull request, and for an attempt", async () => {
      expect(await (await begin("pull_request")).identity?.()).toBeNull();
      await grant([{ audience: AWS }, { audience: "vault", allowsUntrusted: true }]);
      const task = await begin("pull_request");
      const identity = await identified(task);
      expect(identity.audiences).toEqual(["vault"]);
      const { value } = await ask(identity, { audience: "vault" });
      expect(decodeJwt(value)).toMatchObject({
        trust: "untrusted",
        sub: expect.stringMatching(/:trust:untrusted$/),
      });
      const refused = await ask(identity);
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining("others than writers of the repository can have a say in it"),
      ]);
      const { run: attempt, input } = await kept((await begin()).runId);
      const asked = { run: attempt, input: { ...input, raceRole: "attempt" as const } };
      expect(await usableAudiences(fixture.core, asked)).toBeNull();
      await grant([]);
      expect(await (await begin()).identity?.()).toBeNull();
    });

    it("trusts no run that works on a commit of others, or goes on with a run that did", async () => {
      const trust = async (runId: string, changes: Partial<RunInput> = {}) => {
        const { run, input } = await kept(runId);
        return await trustOf(fixture.store.committed, { run, input: { ...input, ...changes } });
      };
      const own = await begin();
      expect(await trust(own.runId)).toBe("trusted");
      const head = { number: 7, headRef: "refs/pull/7/head", headSha: "b".repeat(40), baseRef: "main" };
      expect(await trust(own.runId, { pullRequest: head })).toBe("untrusted");
      // A writer makes a branch at any commit.
      expect(await trust((await begin("create")).runId)).toBe("untrusted");
      const outsiders = await begin("pull_request");
      const place = makeJob({ event: "pull_request" });
      expect(await trust(own.runId, { job: null })).toBe("trusted");
      expect(await trust(own.runId, { job: null, commit: { from: "session", place } })).toBe("untrusted");
      expect(await trust(own.runId, { forkOf: { runId: outsiders.runId, turn: 1 } })).toBe("untrusted");
      expect(await trust(own.runId, { forkOf: { runId: own.runId, turn: 1 } })).toBe("trusted");
      // One of the session that has ended, and then a child of it.
      const { sessionId } = await fixture.run(outsiders.runId);
      runs.end(outsiders.runId);
      await fixture.ended(outsiders.runId);
      const { run, input } = await kept(own.runId);
      const later: RunRecord = { ...run, sessionId, id: fixture.core.random.uuid(fixture.clock.now() + 1) };
      await fixture.store.transact((tx) => tx.runs.insert(later, input));
      expect(await trust(later.id)).toBe("untrusted");
      const child = { ...run, parentRunId: outsiders.runId };
      expect(await trustOf(fixture.store.committed, { run: child, input })).toBe("untrusted");
      const orphan = { ...run, parentRunId: "0198d2c4-5b7a-7c31-9e42-6d1f0a8b3c55" };
      expect(await trustOf(fixture.store.committed, { run: orphan, input })).toBe("untrusted");
    });

    it("ends with the run: its port and its socket are gone", async () => {
      const task = await begin();
      const identity = await identified(task);
      expect((await ask(identity)).status).toBe(200);
      const socket = await identity.commands.socket();
      expect((await stat(socket)).isSocket()).toBe(true);
      const port = await identity.commands.port();
      runs.end(task.runId);
      await fixture.ended(task.runId);
      await expect(fetch(`http://127.0.0.1:${port}/id-token?`)).rejects.toThrow("fetch failed");
      await expect(stat(dirname(socket))).rejects.toThrow("ENOENT");
    });

    it("gives nothing once the run is to end, or is another worker's", async () => {
      const cancelled = await begin();
      const identity = await identified(cancelled);
      await fixture.store.transact((tx) => tx.runs.update(cancelled.runId, { status: "cancelling" }));
      expect(await ask(identity)).toMatchObject({ status: 409, code: "run_not_at_work" });

      const lost = await begin();
      const old = await identified(lost);
      expect((await ask(old)).status).toBe(200);
      const { fence } = await fixture.run(lost.runId);
      await fixture.store.transact((tx) => tx.runs.update(lost.runId, { fence: fence + 1 }));
      const refused = await ask(old);
      expect(refused).toMatchObject({ status: 409, code: "run_not_at_work" });
      expect(refused.text).toContain("at work elsewhere");
      // What the old worker writes next tells it, and closes its relay.
      await leaveRun(fixture.core, lost.runId);
      fixture.dispatch.nudge(lost.runId);
      await expect
        .poll(
          () =>
            ask(old).then(
              ({ status }) => status,
              () => "closed",
            ),
          { interval: 5 },
        )
        .toBe("closed");
    });

    it("says that it should be tried again where the store is away, and has an end", async () => {
      const identity = await identified(await begin());
      isAway = true;
      expect(await ask(identity)).toMatchObject({ status: 503, code: "unavailable" });
      isAway = false;
      for (let asked = 0; asked < 100; asked += 1) expect((await ask(identity)).status).toBe(200);
      expect(await ask(identity)).toMatchObject({ status: 429, code: "capacity_reached" });
    });
  });
});
