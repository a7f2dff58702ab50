// The settings over HTTP: keys, sessions and credits of one account, and of nobody else's.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { call } from "../../../../support/service-client.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

describe("the settings", () => {
  let core: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;
  let other: TestAccount;
  let cookie: string;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
    account = await makeAccount(core);
    other = await makeAccount(core);
    ({ cookie } = await signInTo(core.core, account.id));
  });

  afterAll(() => api.close());

  const get = (path: string) => call(api.url + path, { headers: { cookie } });
  const post = (path: string, form: Readonly<Record<string, string>> = {}) =>
    call(api.url + path, { method: "POST", form, headers: { "sec-fetch-site": "same-origin", cookie } });
  const agentsAs = async (bearer: string) => (await call(`${api.url}/v1/agents`, { bearer })).status;

  it.each(["/settings/keys", "/settings/sessions", "/settings/credits"])(
    "at %s are for whoever is signed in",
    async (path) => {
      const answer = await call(api.url + path);
      expect([answer.status, answer.headers.get("location")]).toEqual([
        303,
        `/sign-in?to=${encodeURIComponent(path)}`,
      ]);
      expect((await call(api.url + path, { bearer: account.owner })).status).toBe(303);
    },
  );

  it("make a key whose secret is shown once, and revoke it", async () => {
    core.clock.advance(1);
    const made = await post("/settings/keys", { name: "<b>laptop</b>", class: "owner" });
    expect([made.status, made.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    const [secret = ""] = /svc_sk_[\w-]{49}/.exec(made.text) ?? [];
    expect(made.text).not.toContain("<b>laptop");
    expect(await agentsAs(secret)).toBe(200);
    const list = await get("/settings/keys");
    expect(list.text).not.toContain(secret);
    expect(list.text).toContain(`…${secret.slice(-4)}`);
    const [key] = (await core.store.committed.credentials.listKeys(account.id)).slice(-1);
    expect(key?.name).toBe("<b>laptop</b>");
    core.clock.advance(1);
    expect((await post("/settings/keys/revoke", { id: key?.id ?? "" })).status).toBe(303);
    expect(await agentsAs(secret)).toBe(401);
    const rows = await core.place.query(
      `select action, outcome, method from audit_entries where account_id = '${account.id}' order by id`,
    );
    expect(rows).toEqual([
      { action: "key_made", outcome: "ok", method: "owner" },
      { action: "key_revoked", outcome: "ok", method: "owner" },
    ]);
  });

  it("make a key for an AI client", async () => {
    const made = await post("/settings/keys", { name: "editor", class: "ai_client" });
    expect(made.text).toMatch(/svc_at_[\w-]{49}/);
  });

  it("refuse a key of another class, or with a long name", async () => {
    expect((await post("/settings/keys", { name: "x", class: "root" })).status).toBe(422);
    expect((await post("/settings/keys", { name: "x".repeat(101), class: "owner" })).status).toBe(422);
  });

  it("revoke no key of another account", async () => {
    const [theirs] = await core.store.committed.credentials.listKeys(other.id);
    expect((await post("/settings/keys/revoke", { id: theirs?.id ?? "" })).status).toBe(303);
    expect(await agentsAs(other.owner)).toBe(200);
  });

  it("list where the account is signed in, end one session, then all others", async () => {
    const signIn = () => signInTo(core.core, account.id);
    const list = () =>
      core.store.committed.webSessions.list({ personId: account.personId, now: core.clock.now() });
    core.clock.advance(1);
    await signIn();
    await signIn();
    const foreign = await signInTo(core.core, other.id);
    const shown = await get("/settings/sessions");
    expect(shown.text.match(/>End session</g)).toHaveLength(2);
    expect(shown.text).toContain("a browser");
    const [own, second] = await list();
    await post("/settings/sessions/end", { id: second?.id ?? "" });
    expect(await list()).toHaveLength(2);
    const [theirs] = await core.store.committed.webSessions.list({
      personId: other.personId,
      now: core.clock.now(),
    });
    await post("/settings/sessions/end", { id: theirs?.id ?? "" });
    await post("/settings/sessions/end-others");
    expect(await list()).toEqual([own]);
    expect((await call(`${api.url}/settings/keys`, { headers: { cookie: foreign.cookie } })).status).toBe(
      200,
    );
  });

  it("show the balance and the plan", async () => {
    const { text } = await get("/settings/credits");
    expect(text).toMatch(/Balance<\/dt><dd><strong>[\d,]+ credits/);
    expect(text).toMatch(/Plan<\/dt><dd>free/);
  });
});
