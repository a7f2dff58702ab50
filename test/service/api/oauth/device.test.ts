// A device without a browser: its person enters the code, sees what is asked, and decides once.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nameAccount } from "../../../../src/service/core/accounts/account-name.ts";
import { type Browser, type OAuthFixture, openOAuthFixture, type Tokens } from "./oauth-fixture.ts";

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

type Device = {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
};

describe("a device", () => {
  let oauth: OAuthFixture;
  let browser: Browser;
  let clientId: string;

  beforeAll(async () => {
    oauth = await openOAuthFixture();
    oauth.fixture.clock.advance(60_000);
    const json = {
      redirect_uris: ["http://127.0.0.1/callback"],
      grant_types: ["authorization_code", DEVICE],
    };
    const { body } = await oauth.ask("/oauth/register", { method: "POST", json });
    clientId = (body as { client_id: string }).client_id;
  });

  beforeEach(async () => {
    browser = await oauth.browser();
  });

  afterAll(() => oauth.close());

  const begin = async (
    form: Readonly<Record<string, string>> = { client_id: clientId, scope: "agents:read" },
  ) => (await oauth.ask("/oauth/device_authorization", { method: "POST", form })).body as Device;
  const poll = async (device: Device) =>
    await oauth.ask("/oauth/token", {
      method: "POST",
      form: { grant_type: DEVICE, client_id: clientId, device_code: device.device_code },
    });

  it("registers without an address to come back to, where it needs none", async () => {
    oauth.fixture.clock.advance(60_000);
    const register = async (json: object) =>
      await oauth.ask("/oauth/register", { method: "POST", json: { client_name: "Printer", ...json } });
    const device = await register({ grant_types: [DEVICE, "refresh_token"] });
    expect([device.status, device.body]).toEqual([
      201,
      expect.objectContaining({
        grant_types: [DEVICE, "refresh_token"],
        response_types: [],
        redirect_uris: [],
      }),
    ]);
    const { client_id } = device.body as { client_id: string };
    expect((await begin({ client_id, scope: "agents:read" })).user_code).toMatch(/\w/);
    const elsewhere = new URLSearchParams({
      client_id,
      response_type: "code",
      redirect_uri: "http://127.0.0.1/",
    });
    expect((await browser.get(`/oauth/authorize?${elsewhere}`)).status).toBe(400);
    for (const grant_types of [undefined, ["authorization_code", DEVICE], ["refresh_token"], []]) {
      expect((await register({ grant_types })).status).toBe(400);
    }
  });

  it("waits until its person allows it, and gets tokens once", async () => {
    const device = await begin();
    expect(device.verification_uri).toBe(`${oauth.issuer}/device`);
    expect((await poll(device)).body).toMatchObject({ error: "authorization_pending" });
    const asked = await browser.post("/device", { code: device.user_code.toLowerCase() });
    expect(asked.text).toContain("Whoever shows this code gets the access");
    expect(asked.text).toContain("named itself");
    const { id: accountId } = oauth.account;
    expect(asked.text).toContain(`<dt>Account</dt><dd><code>${accountId}</code>, where your role is owner`);
    await nameAccount(oauth.fixture.core, { accountId, name: "Platform", personId: null, requestId: "r" });
    expect((await browser.post("/device", { code: device.user_code })).text).toContain(
      `<dt>Account</dt><dd><strong dir="auto">Platform</strong> <code>${accountId}</code>, where your role`,
    );
    expect((await poll(device)).body).toMatchObject({ error: "authorization_pending" });
    const done = await browser.post("/device", { code: device.user_code, decision: "allow" });
    expect(done.text).toContain("The device is signed in");
    const tokens = await poll(device);
    expect(tokens.body).toMatchObject({
      access_token: expect.stringMatching(/^svc_at_/),
      scope: "agents:read",
    });
    const { access_token: bearer } = tokens.body as Tokens;
    expect((await oauth.ask("/v1/agents", { bearer })).status).toBe(200);
    oauth.fixture.clock.advance(10_000);
    expect((await poll(device)).body).toMatchObject({ error: "invalid_grant" });
    expect((await oauth.ask("/v1/agents", { bearer })).status).toBe(401);
  });

  it("gets one answer where many poll at once", async () => {
    const device = await begin();
    await browser.post("/device", { code: device.user_code, decision: "allow" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => poll(device)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 400]).toContain(status);
  });

  it("hears that its person said no, and a decision is made once", async () => {
    const device = await begin();
    await browser.post("/device", { code: device.user_code, decision: "deny" });
    const again = await browser.post("/device", { code: device.user_code, decision: "allow" });
    expect([again.status, again.text]).toEqual([422, expect.stringContaining("No device waits")]);
    expect((await poll(device)).body).toMatchObject({ error: "access_denied" });
  });

  it("is not let in by an address that somebody is led to", async () => {
    const device = await begin();
    const complete = device.verification_uri_complete.slice(oauth.issuer.length);
    const page = await browser.get(complete);
    expect(page.text).toContain(`value="${device.user_code}"`);
    expect(page.text).toContain("If somebody sent you a code, close this page");
    expect(page.text).not.toContain('value="allow"');
    const forged = await oauth.ask("/device", {
      method: "POST",
      form: { code: device.user_code, decision: "allow" },
      headers: {
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        "sec-fetch-site": "cross-site",
      },
    });
    expect(forged.status).toBe(403);
    const stranger = await oauth.ask("/device");
    expect(stranger.headers.get("location")).toBe("/sign-in?to=%2Fdevice");
    expect((await poll(device)).body).toMatchObject({ error: "authorization_pending" });
  });

  it("cannot be guessed, ends after ten minutes, and is another client's to nobody", async () => {
    const device = await begin();
    const stolen = await oauth.ask("/oauth/token", {
      method: "POST",
      form: { grant_type: DEVICE, client_id: "agent-service", device_code: device.device_code },
    });
    expect(stolen.body).toMatchObject({ error: "invalid_grant" });
    oauth.fixture.clock.advance(60_000);
    browser = await oauth.browser();
    const texts: string[] = [];
    for (let tries = 0; tries < 12; tries += 1)
      texts.push((await browser.post("/device", { code: "BBBB-BBBB" })).text);
    expect(texts.filter((text) => text.includes("Too many codes"))).toHaveLength(2);
    expect(texts.at(-1)).not.toContain("BBBB");
    oauth.fixture.clock.advance(11 * 60_000);
    browser = await oauth.browser();
    expect((await browser.post("/device", { code: device.user_code })).status).toBe(422);
    expect((await poll(device)).body).toMatchObject({ error: "expired_token" });
  });

  it("of the command may have a key, and nothing else", async () => {
    const device = await begin({ client_id: "agent-service", scope: "runs:write" });
    const asked = await browser.post("/device", { code: device.user_code });
    expect(asked.text).toContain("Have a key of your account");
    expect(asked.text).not.toContain("Start and cancel runs");
  });
});
