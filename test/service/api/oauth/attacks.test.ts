// What an attacker, a careless client or a page of another origin tries at the authorization server.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RouteTable } from "../../../../src/contract/route.ts";
import { routes } from "../../../../src/contract/routes.ts";
import {
  authorize,
  authorizePath,
  makeProof,
  type OAuthFixture,
  openOAuthFixture,
  REDIRECT,
  redemption,
  refreshing,
  signInApplication,
  type Tokens,
} from "./oauth-fixture.ts";

type Wishes = Readonly<Record<string, string>>;

const MARK = "<script>alert('7f3a')</script>";

describe("the authorization server", () => {
  let oauth: OAuthFixture;
  let clientId: string;

  beforeAll(async () => {
    oauth = await openOAuthFixture();
    clientId = await oauth.register();
  });

  afterAll(() => oauth.close());

  const token = async (form: Readonly<Record<string, string>>) =>
    await oauth.ask("/oauth/token", { method: "POST", form });
  const begin = async (parameters: Readonly<Record<string, string | null>>) =>
    await oauth.ask(
      authorizePath({ client_id: clientId, code_challenge: makeProof().challenge, ...parameters }),
    );
  const allowed = async (parameters: Readonly<Record<string, string | null>> = {}) =>
    await authorize({ browser: await oauth.browser() }, { client_id: clientId, ...parameters });
  const use = async (bearer: string) => await oauth.ask("/v1/agents", { bearer });

  it("needs proof of who began: S256 alone, and the verifier of this very request", async () => {
    const without = await begin({ code_challenge: null, code_challenge_method: null });
    const plain = await begin({ code_challenge: "a".repeat(43), code_challenge_method: "plain" });
    const methodless = await begin({ code_challenge: "a".repeat(43), code_challenge_method: null });
    for (const { headers } of [without, plain, methodless]) {
      const location = new URL(headers.get("location") ?? "");
      expect(location.origin + location.pathname).toBe(REDIRECT);
      expect(location.searchParams.get("error")).toBe("invalid_request");
      expect(location.searchParams.get("code")).toBeNull();
    }
    const { code, verifier } = await allowed();
    const form = redemption(clientId, { code, verifier });
    const { code_verifier: _, ...bare } = form;
    expect((await token(bare)).body).toMatchObject({ error: "invalid_grant" });
    expect((await token({ ...form, code_verifier: makeProof().verifier })).body).toMatchObject({
      error: "invalid_grant",
    });
    expect((await token({ ...form, redirect_uri: "http://127.0.0.1:6666/callback" })).body).toMatchObject({
      error: "invalid_grant",
    });
    expect((await token({ ...form, client_id: await oauth.register() })).body).toMatchObject({
      error: "invalid_grant",
    });
    expect((await token(form)).status).toBe(200);
  });

  it("ends everything of a sign-in whose code comes a second time", async () => {
    const authorized = await allowed({ scope: "agents:read" });
    const tokens = (await token(redemption(clientId, authorized))).body as Tokens;
    expect((await use(tokens.access_token)).status).toBe(200);
    oauth.fixture.clock.advance(10_000);
    expect((await token(redemption(clientId, authorized))).body).toMatchObject({ error: "invalid_grant" });
    expect((await use(tokens.access_token)).status).toBe(401);
    expect((await token(refreshing(clientId, tokens.refresh_token))).body).toMatchObject({
      error: "invalid_grant",
    });
  });

  it("ends everything of a sign-in whose refresh token comes again after its successor", async () => {
    const first = await signInApplication(oauth, { scope: "agents:read" });
    const second = (await token(refreshing(first.clientId, first.refresh_token))).body as Tokens;
    const third = (await token(refreshing(first.clientId, second.refresh_token))).body as Tokens;
    expect((await use(third.access_token)).status).toBe(200);
    expect((await token(refreshing(first.clientId, first.refresh_token))).body).toMatchObject({
      error: "invalid_grant",
    });
    expect((await use(third.access_token)).status).toBe(401);
    expect((await token(refreshing(first.clientId, third.refresh_token))).status).toBe(400);
  });

  it("leads nobody to an address that is not the application's, also not with an error", async () => {
    const targets = [
      "http://evil.example/callback",
      "http://127.0.0.1:5555/other",
      "http://127.0.0.1:5555/callback/../other",
      "http://127.0.0.1@evil.example/callback",
      "http://127.0.0.1.evil.example/callback",
      "http://localhost.evil/callback",
      "http://user@127.0.0.1:5555/callback",
      "https://127.0.0.1:5555/callback",
      "http://127.0.0.1:5555/callback?more=1",
      "http://127.0.0.1:5555/callback#fragment",
      "//evil.example/callback",
      "javascript:alert(1)",
    ];
    for (const target of targets) {
      const others: readonly Wishes[] = [{}, { response_type: "nonsense" }, { scope: MARK }];
      for (const more of others) {
        const answer = await begin({ redirect_uri: target, ...more });
        expect([target, answer.status, answer.headers.get("location")]).toEqual([target, 400, null]);
        expect(answer.text).not.toContain("evil");
      }
    }
    const port = await begin({ redirect_uri: "http://127.0.0.1:51234/callback" });
    expect(port.headers.get("location")).toMatch(/^\/oauth\/consent\//);
  });

  it("takes any port of a loopback address alone: not of a host on the web", async () => {
    const web = await oauth.register(["https://app.example/callback"]);
    const begun = async (redirect: string) =>
      (await begin({ client_id: web, redirect_uri: redirect })).headers.get("location");
    expect(await begun("https://app.example/callback")).toMatch(/^\/oauth\/consent\//);
    expect(await begun("https://app.example:8443/callback")).toBeNull();
    expect(await begun("http://app.example/callback")).toBeNull();
  });

  it("repeats no word of a request on its pages of errors", async () => {
    const requests: readonly Wishes[] = [
      { client_id: MARK },
      { client_id: "https://evil.example/client.json#x" },
      { redirect_uri: MARK },
      { response_type: MARK, redirect_uri: "http://evil.example/" },
      { response_mode: MARK },
      { response_mode: "form_post" },
      { state: MARK, redirect_uri: "http://evil.example/" },
    ];
    for (const parameters of requests) {
      const answer = await begin(parameters);
      expect([parameters, answer.status]).toEqual([parameters, 400]);
      expect(answer.text).not.toMatch(/7f3a|evil\.example|form_post/);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });

  it("issues tokens for itself alone, however a client spells it", async () => {
    const { issuer } = oauth;
    for (const resource of [issuer, `${issuer}/`, `${issuer}/mcp`, `${issuer}/mcp/`, `${issuer}/v1`]) {
      const authorized = await allowed({ resource });
      const form = { ...redemption(clientId, authorized), resource: `${issuer}/mcp/` };
      const answer = await token(form);
      expect([resource, answer.status]).toEqual([resource, 200]);
      const tokens = answer.body as Tokens;
      expect((await token({ ...refreshing(clientId, tokens.refresh_token), resource: issuer })).status).toBe(
        200,
      );
    }
    for (const resource of [
      "https://evil.example/mcp",
      `${issuer}/other`,
      `${issuer}.evil.example`,
      "nonsense",
    ]) {
      const answer = await begin({ resource });
      expect(new URL(answer.headers.get("location") ?? "").searchParams.get("error")).toBe("invalid_target");
      const authorized = await allowed();
      expect((await token({ ...redemption(clientId, authorized), resource })).body).toMatchObject({
        error: "invalid_target",
      });
    }
    const path = authorizePath({ client_id: clientId, code_challenge: makeProof().challenge });
    const twice = await oauth.ask(`${path}&resource=${issuer}/mcp&resource=https://evil.example`);
    expect(twice.headers.get("location")).toContain("error=invalid_target");
    const same = await oauth.ask(`${path}&resource=${issuer}/mcp&resource=${issuer}`);
    expect(same.headers.get("location")).toMatch(/^\/oauth\/consent\//);
  });

  it("names itself in every answer to an application, so that no other server can pass for it", async () => {
    expect((await allowed()).location.searchParams.get("iss")).toBe(oauth.issuer);
    const failed = await begin({ code_challenge: null });
    expect(new URL(failed.headers.get("location") ?? "").searchParams.get("iss")).toBe(oauth.issuer);
  });

  it("asks each time, without anybody else's page, frame or form", async () => {
    const browser = await oauth.browser();
    const path = authorizePath({ client_id: clientId, code_challenge: makeProof().challenge });
    await authorize({ browser }, { client_id: clientId });
    const started = await browser.get(path);
    const consent = started.headers.get("location") ?? "";
    expect(consent).toMatch(/^\/oauth\/consent\//);
    const page = await browser.get(consent);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:5555;");
    expect(policy).toContain("img-src 'self' data:");
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const others: readonly Wishes[] = [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      {},
    ];
    for (const from of others) {
      const forged = await oauth.ask(consent, {
        method: "POST",
        form: { decision: "allow" },
        headers: { cookie, ...from },
      });
      expect(forged.status).toBe(403);
    }
    const uid = consent.split("/").at(-1) ?? "";
    const unanswered = await browser.get(`/oauth/authorize/${uid}`);
    expect(unanswered.headers.get("location")).not.toMatch(/code=/);
  });

  it("takes an answer only from the browser that began, and only once", async () => {
    const [mine, theirs] = [await oauth.browser(), await oauth.browser()];
    const path = authorizePath({ client_id: clientId, code_challenge: makeProof().challenge });
    const consent = (await mine.get(path)).headers.get("location") ?? "";
    expect((await theirs.get(consent)).status).toBe(410);
    expect((await theirs.post(consent, { decision: "allow" })).status).toBe(410);
    const first = await mine.follow(await mine.post(consent, { decision: "allow" }));
    expect(first.headers.get("location")).toContain("code=");
    expect((await mine.post(consent, { decision: "allow" })).status).toBe(410);
  });

  it("takes no token from an address, and no web session as a token", async () => {
    const { access_token } = await signInApplication(oauth, { scope: "agents:read" });
    expect((await oauth.ask(`/v1/agents?access_token=${access_token}`)).status).toBe(401);
    const form = { access_token };
    expect((await oauth.ask("/v1/agents", { method: "POST", form })).status).toBe(401);
    const { code, verifier } = await allowed();
    const inQuery = new URLSearchParams(redemption(clientId, { code, verifier })).toString();
    expect((await oauth.ask(`/oauth/token?${inQuery}`, { method: "POST", form: {} })).status).toBe(400);
    expect((await oauth.ask(`/oauth/token?${inQuery}`)).status).not.toBe(200);
  });

  it("lets no application do what is the owner's", async () => {
    const everything = "agents:read runs:read runs:write schedules:write workspaces:read workspaces:write";
    const { access_token: bearer } = await signInApplication(oauth, { scope: everything });
    const agent = `/v1/agents/${oauth.account.agent.id}`;
    const made = await oauth.ask(`${agent}/schedules`, {
      bearer,
      method: "POST",
      json: { prompt: "Look", delay_seconds: 600 },
    });
    expect([made.status, made.body]).toMatchObject([201, { status: "awaiting_confirmation" }]);
    const { id } = made.body as { id: string };
    const confirmed = await oauth.ask(`${agent}/schedules/${id}/confirm`, {
      bearer,
      method: "POST",
      json: {},
    });
    expect([confirmed.status, confirmed.body]).toMatchObject([403, { code: "owner_needed" }]);
    const policy = await oauth.ask(agent, { bearer, method: "PATCH", json: { egress: null } });
    expect(policy.status).toBe(403);
    const ownersAlone = Object.values(routes as RouteTable)
      .flatMap((ofNoun) => Object.values(ofNoun))
      .filter(({ callers }) => callers.includes("owner") && !callers.includes("ai_client"));
    expect(ownersAlone.length).toBeGreaterThan(2);
    for (const { method, path } of ownersAlone) {
      const filled = path
        .replace("{agentID}", oauth.account.agent.id)
        .replace("{scheduleID}", id)
        .replace(/\{\w+\}/g, id);
      const body = method === "GET" ? {} : { json: {} };
      const answer = await oauth.ask(filled, { bearer, method, ...body });
      // Refused for its class, for what it sends, or because there is no such thing.
      expect([path, [400, 403, 404, 415].includes(answer.status)]).toEqual([path, true]);
    }
    const granted = await signInApplication(oauth, { scope: "runs:read key:mint" });
    expect(granted.scope).toBe("runs:read");
    for (const page of ["/settings/keys", "/settings/apps", "/device"]) {
      const answer = await oauth.ask(page, { bearer });
      expect([page, answer.status]).toEqual([page, 303]);
    }
  });

  it("refuses bodies that are too large or of another kind, and registers a few of an address a minute", async () => {
    const large = await oauth.ask("/oauth/token", { method: "POST", form: { code: "x".repeat(40_000) } });
    expect(large.status).toBe(413);
    const json = await oauth.ask("/oauth/token", { method: "POST", json: { grant_type: "refresh_token" } });
    expect(json.body).toMatchObject({ error: "invalid_request" });
    const wrong = [
      {},
      { redirect_uris: [] },
      { redirect_uris: ["http://evil.example/"] },
      { redirect_uris: ["javascript:alert(1)"] },
      { redirect_uris: ["https://a.example/#x"] },
    ];
    oauth.fixture.clock.advance(60_000);
    for (const metadata of wrong) {
      const answer = await oauth.ask("/oauth/register", { method: "POST", json: metadata });
      expect([metadata, answer.status]).toEqual([metadata, 400]);
    }
    const answer = await oauth.ask("/oauth/register", {
      method: "POST",
      json: { redirect_uris: [REDIRECT] },
    });
    expect(answer.status).toBe(429);
  });

  it("registers a public client whatever it claims to be, and forgets who was allowed nothing", async () => {
    oauth.fixture.clock.advance(60_000);
    const json = {
      redirect_uris: [REDIRECT],
      client_name: "Claude Code\u202e",
      token_endpoint_auth_method: "client_secret_post",
      logo_uri: "http://169.254.169.254/",
      jwks_uri: "http://169.254.169.254/",
      sector_identifier_uri: "http://169.254.169.254/",
      scope: "key:mint",
      client_id: "agent-service",
    };
    const { status, body } = await oauth.ask("/oauth/register", { method: "POST", json });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      token_endpoint_auth_method: "none",
      client_id: expect.not.stringMatching("agent-service"),
    });
    expect(JSON.stringify(body)).not.toMatch(/169\.254|key:mint|client_secret"/);
    const { client_id } = body as { client_id: string };
    expect((await begin({ client_id })).status).toBe(303);
    oauth.fixture.clock.advance(25 * 60 * 60 * 1000);
    expect((await begin({ client_id })).status).toBe(400);
    expect((await begin({})).status).toBe(303);
  });
});
