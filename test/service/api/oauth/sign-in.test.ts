// An application signs in: metadata, authorization with PKCE, tokens, refreshing, revoking.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameAccount } from "../../../../src/service/core/accounts/account-name.ts";
import {
  authorize,
  type OAuthFixture,
  openOAuthFixture,
  redemption,
  refreshing,
  signInApplication,
  type Tokens,
} from "./oauth-fixture.ts";

describe("an application", () => {
  let oauth: OAuthFixture;

  beforeAll(async () => {
    oauth = await openOAuthFixture();
  });

  afterAll(() => oauth.close());

  const token = async (form: Readonly<Record<string, string>>) =>
    await oauth.ask("/oauth/token", { method: "POST", form });
  const use = async (bearer: string) => await oauth.ask("/v1/agents", { bearer });

  it("finds the service by its metadata, at every place where clients look", async () => {
    for (const path of [
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-protected-resource/mcp",
    ]) {
      const answer = await oauth.ask(path);
      expect(answer.body).toMatchObject({
        resource: `${oauth.issuer}/mcp`,
        authorization_servers: [oauth.issuer],
        bearer_methods_supported: ["header"],
      });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
    const server = await oauth.ask("/.well-known/oauth-authorization-server");
    expect(server.body).toMatchObject({
      issuer: oauth.issuer,
      authorization_endpoint: `${oauth.issuer}/oauth/authorize`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it("gets tokens that are prefixed, bound to the account, and good for their scopes", async () => {
    const clientId = await oauth.register();
    const browser = await oauth.browser();
    const authorized = await authorize({ browser }, { client_id: clientId, scope: "agents:read" });
    expect(authorized.location.searchParams.get("state")).toBe("st");
    expect(authorized.location.searchParams.get("iss")).toBe(oauth.issuer);
    const answer = await token(redemption(clientId, authorized));
    const tokens = answer.body as Tokens;
    expect(tokens).toMatchObject({
      access_token: expect.stringMatching(/^svc_at_/),
      refresh_token: expect.stringMatching(/^svc_rt_/),
      token_type: "Bearer",
      expires_in: 3600,
      scope: "agents:read",
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect((await use(tokens.access_token)).status).toBe(200);
    const refused = await oauth.ask("/v1/agents", {
      bearer: tokens.access_token,
      method: "POST",
      json: { name: "new" },
    });
    expect([refused.status, refused.body]).toMatchObject([403, { code: "insufficient_scope" }]);
  });

  it("gets what most clients need where it asks for no scope, or for none that there is", async () => {
    for (const scope of [null, "", "openid email", "mcp:tools"]) {
      const { scope: granted } = await signInApplication(oauth, { scope });
      expect(granted).toBe("agents:read runs:read runs:write schedules:write");
    }
    expect((await signInApplication(oauth, { scope: "openid runs:read offline_access" })).scope).toBe(
      "runs:read",
    );
  });

  it("refreshes, and the owner ends it: at once, with every token", async () => {
    const first = await signInApplication(oauth, { scope: "agents:read" });
    const second = (await token(refreshing(first.clientId, first.refresh_token))).body as Tokens;
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect([(await use(first.access_token)).status, (await use(second.access_token)).status]).toEqual([
      200, 200,
    ]);
    const revoke = (text: string) =>
      oauth.ask("/oauth/revoke", { method: "POST", form: { token: text, client_id: first.clientId } });
    expect((await revoke(second.refresh_token)).status).toBe(200);
    for (const { access_token } of [first, second]) {
      const answer = await use(access_token);
      expect([answer.status, answer.body]).toMatchObject([
        401,
        { error: expect.stringContaining("revoked") },
      ]);
    }
    expect((await token(refreshing(first.clientId, second.refresh_token))).body).toMatchObject({
      error: "invalid_grant",
    });
  });

  it("says no to whoever is not signed in, and goes on after the sign-in", async () => {
    const clientId = await oauth.register();
    const browser = await oauth.browser();
    const started = await browser.get(
      `/oauth/authorize?${new URLSearchParams({ client_id: clientId, response_type: "code", redirect_uri: "http://127.0.0.1:5555/callback", code_challenge: "a".repeat(43), code_challenge_method: "S256" })}`,
    );
    const consent = started.headers.get("location") ?? "";
    expect(consent).toMatch(/^\/oauth\/consent\//);
    const stranger = await oauth.ask(consent);
    expect(stranger.headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(consent)}`);
    const page = await browser.get(consent);
    expect(page.text).toContain("Test application");
    expect(page.text).toContain("a program on this computer");
    expect(page.text).toContain("named itself");
    const { id: accountId } = oauth.account;
    expect(page.text).toContain(`<dt>Account</dt><dd><code>${accountId}</code>, where your role is owner`);
    await nameAccount(oauth.fixture.core, {
      ...{ accountId, name: "<b>Platform</b>", personId: null, requestId: "r" },
    });
    const named = `<strong dir="auto">&lt;b&gt;Platform&lt;/b&gt;</strong> <code>${accountId}</code>`;
    expect((await browser.get(consent)).text).toContain(`<dt>Account</dt><dd>${named}, where your role is`);
    const denied = await browser.follow(await browser.post(consent, { decision: "deny" }));
    expect(new URL(denied.headers.get("location") ?? "").searchParams.get("error")).toBe("access_denied");
  });
});
