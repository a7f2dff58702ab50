// An access token: an AI client for the time, the grant and the scopes that it was issued for.

import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeSecretToken } from "../../../../src/base/secret-token.ts";
import type { ApiScope } from "../../../../src/contract/oauth/scopes.ts";
import { toProblem } from "../../../../src/service/api/shared/problems/to-problem.ts";
import { needScopes } from "../../../../src/service/core/accounts/caller.ts";
import { authenticate } from "../../../../src/service/core/authentication/authenticate.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../support/service-account.ts";

const HOUR_MS = 60 * 60 * 1000;

describe("an access token", () => {
  let fixture: CoreFixture;
  let account: TestAccount;
  let api: Awaited<ReturnType<typeof openCaller>> | undefined;

  beforeEach(async () => {
    fixture = await startFixture({ level: "core" });
    account = await makeAccount(fixture);
    api = undefined;
  });

  // The API closes its core.
  afterEach(() => (api ?? fixture).close());

  const issue = async (...scopes: ApiScope[]) => {
    const { text, hash } = makeSecretToken("svc_at_", randomBytes(32));
    const now = fixture.clock.now();
    await fixture.store.transact((tx) =>
      tx.credentials.insert({
        kind: "access_token",
        id: fixture.core.random.uuid(now),
        hash,
        accountId: account.id,
        personId: account.personId,
        clientId: "https://app.example/client.json",
        scopes,
        resource: "https://agents.example/mcp",
        grantId: "grant-1",
        createdAt: now,
        lastUsedAt: null,
        expiresAt: now + HOUR_MS,
        revokedAt: null,
      }),
    );
    return text;
  };
  const refusalOf = async (bearer: string) => {
    const caller = await authenticate(fixture.core, bearer);
    if (caller.ok) throw new Error("It was accepted.");
    return toProblem(caller.refusal);
  };

  it("is an AI client with scopes; a key has none, and needs none", async () => {
    const caller = await authenticate(fixture.core, await issue("runs:read"));
    expect(caller).toMatchObject({
      ok: true,
      value: {
        kind: "account",
        accountId: account.id,
        callerClass: "ai_client",
        personId: account.personId,
        role: "owner",
      },
    });
    if (!caller.ok) return;
    expect(needScopes(caller.value, ["runs:read"]).ok).toBe(true);
    expect(needScopes(caller.value, ["runs:read", "runs:write"])).toEqual({
      ok: false,
      refusal: { reason: "scope_needed", needed: ["runs:read", "runs:write"] },
    });
    const key = await authenticate(fixture.core, account.aiClient);
    expect(key.ok && needScopes(key.value, ["runs:write"]).ok).toBe(true);
  });

  it("is told in its own words that it ended, or was revoked with its grant", async () => {
    const [first, second] = [await issue("runs:read"), await issue("runs:read")];
    await fixture.store.transact((tx) =>
      tx.credentials.revokeTokensOf({ grantId: "grant-1", now: fixture.clock.now() }),
    );
    expect(await refusalOf(first)).toMatchObject({
      status: 401,
      message: expect.stringContaining("The access token was revoked"),
    });
    const third = await issue("runs:read");
    fixture.clock.advance(HOUR_MS);
    expect(await refusalOf(third)).toMatchObject({
      status: 401,
      message: expect.stringContaining("The access token ended at"),
    });
    expect((await refusalOf(second)).message).toContain("revoked");
  });

  it("is refused over HTTP with every scope that the operation needs", async () => {
    api = await openCaller(fixture);
    const bearer = await issue("agents:read");
    expect((await api.send(`/v1/agents/${account.agent.id}`, { bearer })).status).toBe(200);
    const refused = await api.send("/v1/agents", { bearer, method: "POST", json: { name: "other" } });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: "insufficient_scope",
      error: expect.stringContaining("agents:read runs:write"),
    });
    expect(refused.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  });
});
