// The identity of runs: the service as an issuer whose tokens others verify, its keys over months, and who gets a token.

import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import * as openid from "openid-client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeJob } from "../../fakes/records.ts";
import { sealingKeyOf } from "../../src/base/sealed-text.ts";
import { grantCredits } from "../../src/service/core/accounts/keys.ts";
import { nobody } from "../../src/service/core/audit/audit-entry.ts";
import { mintToken } from "../../src/service/core/run-identity/mint-token.ts";
import { personIn } from "../../src/service/core/web-sessions/web-sessions.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { makeAccount, type TestAccount } from "../support/service-account.ts";
import { openHttpApi } from "../support/service-api.ts";
import { type Call, call } from "../support/service-client.ts";
import { dumpPlace } from "../support/service-dump.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const ISSUER = "http://service.example/id";
const AWS = "sts.amazonaws.com";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

onEveryStore((kind) => {
  describe("the identity of a run", () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openHttpApi>>;
    let mine: TestAccount;
    let theirs: TestAccount;
    /** By the ids of runs that wait. */
    const releases = new Map<string, () => void>();
    const heldOnes = new Map<string, () => void>();
    /** Resolves once the backend holds the run, which is a little after it is at work. */
    const begun = async (runId: string) =>
      await new Promise<void>((resolve) => {
        if (releases.has(runId)) resolve();
        else heldOnes.set(runId, resolve);
      });
    const held: Backend = {
      name: "held",
      needsCheckout: false,
      run: async (task) => {
        if (task.messages.some(({ content }) => content.includes("wait")))
          await new Promise<void>((resolve) => {
            releases.set(task.runId, resolve);
            heldOnes.get(task.runId)?.();
          });
        return { stopReason: "end_turn" };
      },
    };

    beforeAll(async () => {
      fixture = await startFixture({ level: "core", store: kind, backend: held });
      fixture.executor.start();
      api = await openHttpApi(fixture);
      mine = await makeAccount(fixture);
      theirs = await makeAccount(fixture);
      for (const { id } of [mine, theirs])
        await grantCredits(fixture.core, { accountId: id, credits: 10_000 });
    });
    beforeEach(async () => await grant([{ audience: AWS }]));
    afterEach(() => {
      for (const release of releases.values()) release();
    });
    afterAll(async () => {
      await api.close();
    });

    const send = (path: string, options: Call = {}) =>
      call(api.url + path, { bearer: mine.owner, ...options });
    const grant = async (audiences: readonly object[]) => {
      const path = `/v1/agents/${mine.agent.id}/audiences`;
      expect((await send(path, { method: "PUT", json: { audiences } })).status).toBe(200);
    };
    const mint = (runId: string, audience = AWS, bearer = mine.owner) =>
      send(`/v1/runs/${runId}/id-token`, { method: "POST", json: { audience }, bearer });
    const keys = async () => (await call(`${api.url}/id/jwks`)).body as JSONWebKeySet;

    async function submit(message: string): Promise<string> {
      const { body } = await send(`/v1/agents/${mine.agent.id}/runs`, { method: "POST", json: { message } });
      return (body as { run_id: string }).run_id;
    }

    async function atWork(): Promise<string> {
      const runId = await submit("wait");
      await fixture.until(runId, ({ status }) => status === "running");
      return runId;
    }

    async function end(runId: string): Promise<void> {
      await begun(runId);
      releases.get(runId)?.();
      await fixture.ended(runId);
    }

    async function minted(): Promise<string> {
      const runId = await atWork();
      const answer = await mint(runId);
      await end(runId);
      expect(answer.status).toBe(200);
      return (answer.body as { token: string }).token;
    }

    const verified = async (token: string) =>
      await jwtVerify(token, createLocalJWKSet(await keys()), {
        issuer: ISSUER,
        audience: AWS,
        algorithms: ["RS256"],
        currentDate: new Date(fixture.clock.now()),
      });

    it("is found by OpenID Connect discovery, as clouds do", async () => {
      const found = await openid.discovery(new URL(ISSUER), "cloud", undefined, undefined, {
        execute: [openid.allowInsecureRequests],
        [openid.customFetch]: (url, init) =>
          fetch(url.replace("http://service.example", api.url), init as RequestInit),
      });
      expect(found.serverMetadata()).toMatchObject({
        issuer: ISSUER,
        jwks_uri: `${ISSUER}/jwks`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
      const { headers } = await fetch(`${api.url}/id/jwks`);
      expect(headers.get("cache-control")).toBe("public, max-age=300");
      expect((await call(`${api.url}/.well-known/openid-configuration`)).status).toBe(404);
    });

    it("is for no audience of another account that has claimed the agent since the run was submitted", async () => {
      const runId = await atWork();
      const give = (accountId: string | null) =>
        fixture.core.store.transact((tx) => tx.agents.update(mine.agent.id, { accountId }));
      const run = (await fixture.core.store.committed.runs.find(runId)) ?? expect.unreachable();
      const ofCommand = async () =>
        await mintToken(fixture.core, { run, audience: AWS, requestId: runId, by: nobody, fence: run.fence });
      for (const accountId of [theirs.id, null]) {
        await give(accountId);
        expect(await ofCommand()).toMatchObject({ ok: false, refusal: { reason: "audience_not_granted" } });
      }
      await give(theirs.id);
      expect((await mint(runId, AWS, theirs.owner)).status).toBe(403);
      await give(mine.id);
      expect((await ofCommand()).ok).toBe(true);
      await end(runId);
    });

    it("is a token of five minutes that jose verifies, with a subject that no run changes", async () => {
      const runId = await atWork();
      const answer = await mint(runId);
      expect(answer.status).toBe(200);
      const { token, expires_at: expiresAt } = answer.body as { token: string; expires_at: string };
      const { payload, protectedHeader } = await verified(token);
      expect(protectedHeader).toMatchObject({ alg: "RS256", typ: "JWT" });
      expect(payload).toMatchObject({
        sub: `account:${mine.id}:agent:${mine.agent.id}:trust:trusted`,
        agent: "helper",
        agent_id: mine.agent.id,
        run_id: runId,
        origin: "user",
        trust: "trusted",
        "https://aws.amazon.com/tags": {
          principal_tags: { agent_id: [mine.agent.id] },
          transitive_tag_keys: ["repository_id", "agent_id"],
        },
      });
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(300);
      expect(Date.parse(expiresAt)).toBe((payload.exp ?? 0) * 1_000);
      const other = (await mint(runId)).body as { token: string };
      expect(decodeJwt(other.token).jti).not.toBe(payload.jti);
      await end(runId);
      expect(decodeJwt(await minted()).sub).toBe(payload.sub);
    });

    it("names the repository and the job of a run by their numbers, and says who can have started it", async () => {
      const caller = await fixture.caller();
      const { agentId } = caller.capability;
      const owner = personIn({ accountId: mine.id, personId: mine.personId, role: "owner" });
      await fixture.store.transact((tx) =>
        tx.runIdentity.setAudiences(agentId, [{ audience: AWS, allowsUntrusted: false, grantedAt: 1 }]),
      );
      const submitted = await fixture.trySubmit({ message: "wait" });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const run = await fixture.until(submitted.value.runId, ({ status }) => status === "running");
      const asked = { run, audience: AWS, requestId: "r", by: nobody };
      const { core } = fixture;
      const answer = await mintToken(core, asked);
      const job = makeJob();
      if (!answer.ok) throw new Error(answer.refusal.reason);
      expect(decodeJwt(answer.value.token)).toMatchObject({
        sub: `repo:${job.repository.ownerId}/${job.repository.id}:agent:${agentId}:trust:trusted`,
        repository: job.repository.name,
        repository_id: job.repository.id,
        event_name: job.event,
        ref: job.ref,
        sha: job.sha,
        ci_run_id: job.runId,
        "https://aws.amazon.com/tags": {
          principal_tags: { repository_id: [job.repository.id], event: [job.event] },
        },
      });
      expect(owner.accountId).toBe(mine.id);
      await end(run.id);
    });

    it("is for granted audiences alone, set by the owner", async () => {
      const runId = await atWork();
      const refused = await mint(runId, "vault");
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('get no ID token for \\"vault\\": its owner has not granted it'),
      ]);
      await grant([{ audience: "vault" }, { audience: "vault", allows_untrusted: true }]);
      const list = await send(`/v1/agents/${mine.agent.id}/audiences`);
      expect(list.body).toEqual([
        { audience: "vault", allows_untrusted: true, granted_at: expect.any(String) },
      ]);
      expect((await mint(runId, "vault")).status).toBe(200);
      expect((await mint(runId, AWS)).status).toBe(403);
      const byClient = await send(`/v1/agents/${mine.agent.id}/audiences`, {
        method: "PUT",
        json: { audiences: [] },
        bearer: mine.aiClient,
      });
      expect(byClient.status).toBe(403);
      for (const audience of ["", "two words", "x".repeat(256)])
        expect((await mint(runId, audience)).status).toBe(400);
      await end(runId);
    });

    it("is refused to others, to AI clients, and once the run is over", async () => {
      const runId = await atWork();
      expect((await mint(runId, AWS, theirs.owner)).status).toBe(403);
      expect((await mint(runId, AWS, mine.aiClient)).status).toBe(403);
      expect((await mint("0198d2c4-5b7a-7c31-9e42-6d1f0a8b3c55")).status).toBe(404);
      await end(runId);
      const late = await mint(runId);
      expect([late.status, late.body]).toMatchObject([409, { code: "run_not_at_work" }]);
    });

    it("leaves an audit entry whose id is the token's, and no secret anywhere", async () => {
      const token = await minted();
      const { jti } = decodeJwt(token);
      const rows = await fixture.place.query(
        `select action, outcome, account_id from audit_entries where id = '${jti}'`,
      );
      expect(rows).toEqual([{ action: "run_token", outcome: AWS, account_id: mine.id }]);
      const dump = await dumpPlace(fixture.place);
      expect(dump).not.toContain(token);
      // A private key as a JWK, in JSON or escaped in JSON.
      expect(dump).not.toMatch(/\\?"(d|p|q|dp|dq|qi)\\?":\\?"/);
      expect(fixture.logs.join("\n")).not.toContain(token);
    });

    it("has two keys, of which the next signs after 30 days, and the one before stays for a day", async () => {
      const kidOf = (token: string) => decodeProtectedHeader(token).kid;
      const kids = async () => (await keys()).keys.map(({ kid }) => kid);
      const first = await minted();
      const [one, two] = await kids();
      expect(await kids()).toEqual([one, two]);
      expect(kidOf(first)).toBe(one);
      expect(
        (await keys()).keys.every((key) => !("d" in key) && key.alg === "RS256" && key.n?.length === 342),
      ).toBe(true);
      await fixture.clock.advance(30 * DAY_MS);
      const second = await minted();
      expect(kidOf(second)).toBe(two);
      const [, , three] = await kids();
      expect(await kids()).toEqual([one, two, three]);
      await verified(second);
      await fixture.clock.advance(DAY_MS + 1);
      expect(await kids()).toEqual([two, three]);
      // Nobody asked for long: the key that was published signs, and the next one is published first.
      await fixture.clock.advance(90 * DAY_MS);
      expect(kidOf(await minted())).toBe(three);
      const [, next] = (await kids()).slice(-2);
      await fixture.clock.advance(HOUR_MS);
      expect(kidOf(await minted())).toBe(next);
    });

    it("says which key of the operator is missing where another one has sealed its own", async () => {
      const runId = await atWork();
      const other = { current: sealingKeyOf(Buffer.alloc(32, 9)), previous: null };
      const run = (await fixture.store.committed.runs.find(runId)) ?? expect.unreachable();
      const core = { ...fixture.core, identity: { ...fixture.core.identity, sealingKeys: other } };
      const request = { run, audience: AWS, requestId: "r", by: nobody };
      expect(await mintToken(core, request)).toMatchObject({ refusal: { reason: "run_identity_sealed" } });
      expect((await mintToken(fixture.core, request)).ok).toBe(true);
      await end(runId);
    });

    it("has the same keys on every node, however many make them at once", async () => {
      await fixture.store.transact((tx) => tx.runIdentity.deleteKeysBelow(Number.MAX_SAFE_INTEGER));
      const { publishedKeys } = await import("../../src/service/core/run-identity/identity-keys.ts");
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => publishedKeys(fixture.nextProcess())),
      );
      expect(answers[0]).toHaveLength(2);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    });
  });

  describe("a service without a key for secrets", () => {
    it("vouches for no run, and says so", async () => {
      const fixture = await startFixture({ level: "core", store: kind, secretKeys: null });
      const api = await openHttpApi(fixture);
      try {
        for (const path of ["/id/jwks", "/id/.well-known/openid-configuration"]) {
          const { status, text } = await call(api.url + path);
          expect([status, text]).toEqual([404, expect.stringContaining("RUN_SECRETS_KEY")]);
        }
      } finally {
        await api.close();
      }
    });
  });
});
