// A CI job's ID token for an access token of its repository's owner: who gets one, what it is good for, and what ends it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claims } from "../../../../fakes/issuer/claims.ts";
import { systemClock } from "../../../../src/base/clock.ts";
import { systemRandom } from "../../../../src/base/ids.ts";
import {
  ID_TOKEN_TYPE,
  JWT_BEARER_GRANT,
  TOKEN_EXCHANGE_GRANT,
} from "../../../../src/contract/ci/exchange.ts";
import { openServerAccess } from "../../../../src/federation/mcp/server-access.ts";
import { makeApiKey, openAccount } from "../../../../src/service/core/accounts/keys.ts";
import { releaseClaim } from "../../../../src/service/core/agent-endings/release-claim.ts";
import type { Core } from "../../../../src/service/core/core.ts";
import type { Store } from "../../../../src/service/core/ports/store.ts";
import { openSession } from "../../../../src/service/executor/tools/mcp/mcp-session.ts";
import { defaultRates } from "../../../../src/service/settings/default-rates.ts";
import { openPostgresStore } from "../../../../src/service/store/postgres.ts";
import { openSqliteStore } from "../../../../src/service/store/sqlite.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import type { Answer } from "../../../support/service-client.ts";
import { dumpPlace } from "../../../support/service-dump.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../support/web-sign-in.ts";
import { Browser } from "./oauth-fixture.ts";

const HOUR_MS = 3_600_000;

onEveryStore((kind) => {
  describe("token exchange", () => {
    let fixture: ServiceFixture;
    let store: Store;
    let core: Core;

    beforeAll(async () => {
      fixture = await startFixture({ level: "service", store: kind });
      const { dataDir: folder, databaseUrl: url } = fixture.place.settings;
      store =
        url === null ? await openSqliteStore({ folder, hold: "none" }) : await openPostgresStore({ url });
      const parts = { store, clock: fixture.clock, random: systemRandom, rates: defaultRates };
      core = parts as unknown as Core;
    });

    afterAll(async () => {
      await store.close();
      await fixture.close();
    });

    /** A private repository that a new account has claimed, with this policy. */
    const claimed = async (ciPolicy: object | null = { mint_keys: true }) => {
      const { id } = await openAccount(core, "registered_free");
      const key = async (callerClass: "owner" | "ai_client") =>
        (await makeApiKey(core, { accountId: id, callerClass, name: "key" })).secret;
      const owner = await key("owner");
      const repository = fixture.freshRepository({ repository_visibility: "private" });
      const { exchanged } = await fixture.job(repository);
      const claim = exchanged.claim_url?.split("/").at(-1);
      await fixture.call("/v1/ci/claim", { method: "POST", bearer: owner, json: { claim } });
      const accepting = { subject_token: fixture.mint(repository), account: id };
      const done = await fixture.call("/v1/ci/oidc/exchange", { method: "POST", json: accepting });
      expect(done.body).toMatchObject({ claim: "claimed" });
      const agentId = exchanged.agent_id;
      const setPolicy = async (policy: object | null) => {
        const json = { ci_policy: policy };
        return await fixture.call(`/v1/agents/${agentId}`, { method: "PATCH", bearer: owner, json });
      };
      if (ciPolicy !== null) expect((await setPolicy(ciPolicy)).status).toBe(200);
      return { id, owner, aiClient: await key("ai_client"), repository, agentId, setPolicy };
    };

    const exchange = async (subject_token: string, more: Readonly<Record<string, string>> = {}) =>
      await fixture.call("/oauth/token", {
        method: "POST",
        form: {
          grant_type: TOKEN_EXCHANGE_GRANT,
          subject_token_type: ID_TOKEN_TYPE,
          subject_token,
          scope: "agents:read",
          ...more,
        },
      });
    const tokenOf = (answer: Answer): string => {
      expect([answer.status, answer.body]).toMatchObject([200, { token_type: "Bearer" }]);
      return fixture.keep((answer.body as { access_token: string }).access_token);
    };
    const minted = async (claims: Claims) => tokenOf(await exchange(fixture.mint(claims)));
    const expectRefused = (answer: Answer, reason: string, error = "invalid_request") => {
      expect([answer.status, answer.body], answer.text).toMatchObject([400, { error, reason }]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect((answer.body as { error_description: string }).error_description).toMatch(
        /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/,
      );
    };
    const statusOf = async (bearer: string, path = "/v1/agents") =>
      (await fixture.call(path, { bearer })).status;
    const appsOf = async (accountId: string) => {
      const { cookie } = await signInTo(core, accountId);
      return new Browser(fixture.url, fixture.url, cookie);
    };

    it("gives a job of a claimed repository an AI client's token of the account, for its scopes", async () => {
      const { id, agentId, repository } = await claimed();
      const answer = await exchange(fixture.mint(repository));
      const bearer = tokenOf(answer);
      expect(answer.body).toEqual({
        access_token: expect.stringMatching(/^svc_at_[\w-]{49}$/),
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        token_type: "Bearer",
        expires_in: 3600,
        scope: "agents:read",
      });
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect((await fixture.call("/v1/agents", { bearer })).body).toMatchObject([
        { id: agentId, user_id: id },
      ]);
      const json = { message: "go" };
      const run = await fixture.call(`/v1/agents/${agentId}/runs`, { method: "POST", bearer, json });
      expect([run.status, run.body]).toMatchObject([403, { code: "insufficient_scope" }]);
      const policy = {
        method: "PATCH",
        bearer: tokenOf(await exchange(fixture.mint(repository), { scope: "" })),
      };
      const set = await fixture.call(`/v1/agents/${agentId}`, { ...policy, json: { ci_policy: null } });
      expect([set.status, set.body]).toMatchObject([403, { code: "owner_needed" }]);
      const rows = await fixture.place.query(
        `select action, outcome, account_id from audit_entries where action = 'mint' and repository_id = '${repository.repository_id}'`,
      );
      expect(rows).toEqual(Array(2).fill({ action: "mint", outcome: "ok", account_id: id }));
      const dump = await dumpPlace(fixture.place);
      for (const secret of fixture.secrets) {
        expect(dump).not.toContain(secret);
        expect(fixture.logText()).not.toContain(secret);
      }
    });

    it("refuses jobs of a repository that nobody has claimed, and where the policy does not say so", async () => {
      const stranger = fixture.freshRepository();
      expectRefused(await exchange(fixture.mint(stranger)), "repository_unclaimed");
      for (const policy of [null, { mint_keys: false }, { events: ["push"] }]) {
        const { repository, setPolicy } = await claimed(policy);
        const token = fixture.mint(repository);
        expectRefused(await exchange(token), "mint_off");
        await setPolicy({ mint_keys: true });
        expectRefused(await exchange(token), "token_replayed");
        await minted(repository);
      }
      const { repository } = await claimed({ mint_keys: true, refs: ["refs/heads/main"] });
      const elsewhere = fixture.mint({ ...repository, ref: "refs/heads/topic" });
      expectRefused(await exchange(elsewhere), "policy_refused");
    });

    it("refuses jobs that not only writers decide", async () => {
      const { repository } = await claimed();
      for (const event_name of ["pull_request", "issue_comment", "merge_group", "create", "made_up"]) {
        expectRefused(await exchange(fixture.mint({ ...repository, event_name })), "mint_event_refused");
      }
      const target = fixture.mint({ ...repository, event_name: "pull_request_target" });
      expectRefused(await exchange(target), "event_refused");
    });

    it("takes a token once, whatever it is exchanged for, and of many requests one wins", async () => {
      const { repository } = await claimed();
      const token = fixture.mint(repository);
      const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(token)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const answer of answers) if (answer.status !== 200) expectRefused(answer, "token_replayed");
      expect((await fixture.exchange(token)).status).toBe(401);
      const other = fixture.mint(repository);
      expect((await fixture.exchange(other)).status).toBe(200);
      expectRefused(await exchange(other), "token_replayed");
    });

    it("refuses foreign audiences, targets, scopes and forms", async () => {
      const { repository } = await claimed();
      const foreign = fixture.mint({ ...repository, aud: "https://evil.example" });
      expectRefused(await exchange(foreign), "audience_mismatch");
      expectRefused(await exchange("a.b.c"), "token_malformed");
      const token = fixture.mint(repository);
      for (const name of ["resource", "audience"]) {
        const answer = await exchange(token, { [name]: "https://evil.example" });
        expectRefused(answer, "target_foreign", "invalid_target");
      }
      for (const scope of ["key:mint", "agents:read key:mint", "offline_access", "everything"]) {
        expectRefused(await exchange(token, { scope }), "scope_excess", "invalid_scope");
      }
      expectRefused(await exchange(token, { actor_token: "x" }), "actor_unsupported");
      expectRefused(await exchange(token, { sha: "a".repeat(65) }), "sha_malformed");
      expectRefused(await exchange(token, { subject_token_type: "jwt" }), "token_type_unsupported");
      expectRefused(await exchange(token, { requested_token_type: "jwt" }), "token_type_unsupported");
      expectRefused(await exchange(""), "token_missing");
      const raw = `grant_type=${encodeURIComponent(TOKEN_EXCHANGE_GRANT)}&scope=a&scope=b`;
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      expectRefused(
        await fixture.call("/oauth/token", { method: "POST", raw, headers }),
        "parameter_repeated",
      );
      // None of them has used the token up.
      tokenOf(
        await exchange(token, { resource: `${fixture.url}/mcp`, audience: fixture.url, client_id: "x" }),
      );
    });

    it("shows the jobs among the connected apps, and ends them there for good", async () => {
      const { id, repository, agentId, setPolicy, owner } = await claimed({
        mint_keys: true,
        events: ["push"],
      });
      const [bearer, same] = [await minted(repository), await minted(repository)];
      const wider = tokenOf(await exchange(fixture.mint(repository), { scope: "runs:read agents:read" }));
      const browser = await appsOf(id);
      const page = (await browser.get("/settings/apps")).text;
      expect(page.split(`CI jobs of ${repository.repository}<br>`)).toHaveLength(3);
      expect(page).toContain(`href="/agent/${agentId}"`);
      const grant = /name="id" value="([^"]+)"/.exec(page)?.[1] ?? "";
      const stranger = await appsOf((await openAccount(core, "registered_free")).id);
      await stranger.post("/settings/apps/revoke", { id: grant });
      expect(await statusOf(bearer)).toBe(200);
      expect((await browser.post("/settings/apps/revoke", { id: grant })).status).toBe(303);
      for (const ended of [bearer, same, wider]) expect(await statusOf(ended)).toBe(401);
      expect((await browser.get("/settings/apps")).text).toContain("No application is signed in");
      expectRefused(await exchange(fixture.mint(repository)), "mint_off");
      const { body } = await fixture.call(`/v1/agents/${agentId}`, { bearer: owner });
      expect(body).toMatchObject({ ci_policy: { events: ["push"] } });
      expect(body).not.toHaveProperty("ci_policy.mint_keys");
      await setPolicy({ mint_keys: true });
      expect(await statusOf(await minted(repository))).toBe(200);
    });

    it("ends the tokens with the policy, the claim and the agent", async () => {
      const first = await claimed();
      const bearer = await minted(first.repository);
      await first.setPolicy({ mint_keys: true, events: ["push"] });
      expect(await statusOf(bearer)).toBe(200);
      await first.setPolicy({ events: ["push"] });
      expect(await statusOf(bearer)).toBe(401);

      const second = await claimed();
      const released = await minted(second.repository);
      await releaseClaim(core, { agentId: second.agentId, requestId: "request" });
      expect(await statusOf(released)).toBe(401);
      expectRefused(await exchange(fixture.mint(second.repository)), "repository_unclaimed");

      const third = await claimed();
      const retired = await minted(third.repository);
      const path = `/v1/agents/${third.agentId}/retire`;
      expect((await fixture.call(path, { method: "POST", bearer: third.owner })).status).toBeLessThan(300);
      expect(await statusOf(retired)).toBe(401);
      expectRefused(await exchange(fixture.mint(third.repository)), "mint_off");
    });

    it("leaves no token that works where the owner ends the access meanwhile", async () => {
      const { id, repository } = await claimed();
      const bearer = await minted(repository);
      const browser = await appsOf(id);
      const page = (await browser.get("/settings/apps")).text;
      const grant = /name="id" value="([^"]+)"/.exec(page)?.[1] ?? "";
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 6 }, () => exchange(fixture.mint(repository)))),
        browser.post("/settings/apps/revoke", { id: grant }),
      ]);
      expect(await statusOf(bearer)).toBe(401);
      for (const answer of answers) {
        if (answer.status === 200) expect(await statusOf(tokenOf(answer))).toBe(401);
        else expectRefused(answer, "mint_off");
      }
    });

    it("opens one grant for jobs at the same moment, and tokens end after an hour", async () => {
      const { id, repository } = await claimed();
      const bearers = await Promise.all(Array.from({ length: 6 }, () => minted(repository)));
      expect(new Set(bearers).size).toBe(6);
      expect(
        await store.committed.oauthGrants.list({ accountId: id, now: fixture.clock.now() }),
      ).toHaveLength(1);
      fixture.clock.advance(HOUR_MS - 1);
      expect(await statusOf(bearers[0] ?? "")).toBe(200);
      fixture.clock.advance(1);
      expect(await statusOf(bearers[0] ?? "")).toBe(401);
    });

    it("is in the metadata", async () => {
      const { body } = await fixture.call("/.well-known/oauth-authorization-server");
      const grants = expect.arrayContaining([TOKEN_EXCHANGE_GRANT, JWT_BEARER_GRANT]);
      expect(body).toMatchObject({ issuer: fixture.url, grant_types_supported: grants });
    });

    describe("with the ID token as the grant itself", () => {
      const present = async (assertion: string, more: Readonly<Record<string, string>> = {}) =>
        await fixture.call("/oauth/token", {
          method: "POST",
          form: { grant_type: JWT_BEARER_GRANT, assertion, scope: "agents:read", ...more },
        });
      const mintFor = (repository: Claims, aud = fixture.url) => fixture.mint({ ...repository, aud });

      it("gives the same token to a job whose ID token is made for the issuer", async () => {
        const { repository, agentId } = await claimed();
        const answer = await present(mintFor(repository), { resource: `${fixture.url}/mcp` });
        const bearer = tokenOf(answer);
        expect(answer.body).toEqual({
          access_token: expect.stringMatching(/^svc_at_[\w-]{49}$/),
          token_type: "Bearer",
          expires_in: 3600,
          scope: "agents:read",
        });
        expect(answer.headers.get("cache-control")).toBe("no-store");
        expect((await fixture.call("/v1/agents", { bearer })).body).toMatchObject([{ id: agentId }]);
        const dump = await dumpPlace(fixture.place);
        for (const secret of fixture.secrets) {
          expect(dump).not.toContain(secret);
          expect(fixture.logText()).not.toContain(secret);
        }
      });

      it("refuses other audiences, the exchange's own too, and the exchange refuses the issuer's", async () => {
        const { repository } = await claimed();
        for (const aud of ["https://evil.example", `${fixture.url}/`, `${fixture.url}/oauth/token`]) {
          expectRefused(await present(mintFor(repository, aud)), "audience_mismatch", "invalid_grant");
        }
        expectRefused(await present(fixture.mint(repository)), "audience_mismatch", "invalid_grant");
        expectRefused(await exchange(mintFor(repository)), "audience_mismatch");
        expect((await fixture.exchange(mintFor(repository))).status).toBe(401);
      });

      it("takes a token once, by the owner's policy, of jobs that writers decide", async () => {
        const { repository, setPolicy } = await claimed();
        const token = mintFor(repository);
        const answers = await Promise.all(Array.from({ length: 8 }, () => present(token)));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        for (const answer of answers) {
          if (answer.status !== 200) expectRefused(answer, "token_replayed", "invalid_grant");
        }
        const asked = mintFor({ ...repository, event_name: "pull_request" });
        expectRefused(await present(asked), "mint_event_refused", "invalid_grant");
        await setPolicy({ mint_keys: false });
        expectRefused(await present(mintFor(repository)), "mint_off", "invalid_grant");
        const stranger = fixture.freshRepository();
        expectRefused(await present(mintFor(stranger)), "repository_unclaimed", "invalid_grant");
      });

      it("refuses foreign targets, scopes and forms, and spends nothing", async () => {
        const { repository } = await claimed();
        const token = mintFor(repository);
        const foreign = await present(token, { resource: "https://evil.example" });
        expectRefused(foreign, "target_foreign", "invalid_target");
        expectRefused(await present(token, { scope: "key:mint" }), "scope_excess", "invalid_scope");
        expectRefused(await present(""), "token_missing");
        expectRefused(await present("a.b.c"), "token_malformed", "invalid_grant");
        const raw = `grant_type=${encodeURIComponent(JWT_BEARER_GRANT)}&assertion=a&assertion=b`;
        const headers = { "content-type": "application/x-www-form-urlencoded" };
        expectRefused(
          await fixture.call("/oauth/token", { method: "POST", raw, headers }),
          "parameter_repeated",
        );
        tokenOf(await present(token, { client_id: "any" }));
      });

      it("lets a run's MCP client find the issuer, prove its job and call tools", async () => {
        const { repository, agentId } = await claimed();
        const audiences: string[] = [];
        const signal = new AbortController().signal;
        const access = openServerAccess({
          serverUrl: `${fixture.url}/mcp`,
          grant: { type: "job", clientId: null, issuer: null, scope: null },
          mintIdToken: async (audience) => {
            audiences.push(audience);
            return mintFor(repository, audience);
          },
          fetch,
          clock: systemClock,
          random: () => 0,
          onSecret: (secret) => fixture.keep(secret),
          signal,
        });
        const auth = {
          token: access.token,
          onUnauthorized: async ({ response }: { response: Response }) => await access.renew(response),
        };
        const opened = await openSession({
          channel: { type: "http", url: `${fixture.url}/mcp`, fetch, auth },
          versions: "all",
          startMs: 20_000,
          elicit: null,
          signal,
        });
        if (!opened.ok) throw new Error(opened.why);
        expect(audiences).toEqual([fixture.url]);
        expect(access.origin()).toBe(fixture.url);
        const called = await opened.session.call({
          tool: "list_agents",
          input: {},
          timeoutMs: 20_000,
          signal,
        });
        expect(JSON.stringify(called)).toContain(agentId);
        await opened.session.close();
      });
    });
  });
});

describe("the rate of exchanges", () => {
  it("is one for both addresses of the exchange", async () => {
    const fixture = await startFixture({ level: "service", config: { exchangeRatePerMinute: 2 } });
    const form = {
      grant_type: TOKEN_EXCHANGE_GRANT,
      subject_token: "a.b.c",
      subject_token_type: ID_TOKEN_TYPE,
    };
    expect((await fixture.exchange("a.b.c")).status).toBe(401);
    expect((await fixture.call("/oauth/token", { method: "POST", form })).status).toBe(400);
    const late = await fixture.call("/oauth/token", { method: "POST", form });
    expect([late.status, late.headers.get("retry-after"), late.body]).toMatchObject([
      429,
      "30",
      { error: "temporarily_unavailable", reason: "rate_limited" },
    ]);
    await fixture.close();
  });
});
