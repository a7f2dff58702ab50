// Signing in by link and by key, over HTTP: cookies, redirects, refusals and what is left in the audit trail.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revokeApiKey } from "../../../../../src/service/core/accounts/keys.ts";
import { makeSignInLink } from "../../../../../src/service/core/sign-in/sign-in-links.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { type Answer, call } from "../../../../support/service-client.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

describe("signing in", () => {
  let core: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
    account = await makeAccount(core);
  });

  afterAll(async () => {
    await api.close();
  });

  const get = (path: string, cookie = "") => call(api.url + path, { headers: { cookie } });
  const post = (path: string, form: Readonly<Record<string, string>> = {}, cookie = "") =>
    call(api.url + path, { method: "POST", form, headers: { "sec-fetch-site": "same-origin", cookie } });
  const cookieOf = ({ headers }: Answer) => (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const sessions = () =>
    core.store.committed.webSessions.list({ personId: account.personId, now: core.clock.now() });

  it("is done by an owner's key, and leads to the page that was asked for", async () => {
    const form = await get("/sign-in?to=%2Fsettings%2Fcredits&key=svc_sk_never_from_here");
    expect(form.text).toContain('name="to" value="/settings/credits"');
    expect(form.text).not.toContain("never_from_here");
    const answer = await post("/sign-in", { key: ` ${account.owner}\n`, to: "/settings/credits" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/settings/credits"]);
    expect(answer.headers.get("set-cookie")).toMatch(
      /^session=svc_ws_[\w-]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const shown = await get("/settings/credits", cookieOf(answer));
    expect([shown.status, shown.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect((await get("/sign-in?to=/settings/keys", cookieOf(answer))).headers.get("location")).toBe(
      "/settings/keys",
    );
  });

  it.each([
    ["an AI client's key", () => account.aiClient],
    ["another text", () => "hunter2"],
    ["nothing", () => ""],
  ])("is not done by %s", async (_what, key) => {
    const before = (await sessions()).length;
    const answer = await post("/sign-in", { key: key() });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
    expect(answer.text).toContain('role="alert"');
    if (key() !== "") expect(answer.text).not.toContain(key());
    expect((await sessions()).length).toBe(before);
  });

  it("never leads to another origin", async () => {
    for (const to of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "/%09/../\t//evil.example",
    ]) {
      const shown = await get(`/sign-in?to=${encodeURIComponent(to)}`);
      expect(shown.text).toContain('name="to" value="/"');
      const answer = await post("/sign-in", { key: account.owner, to });
      expect(answer.headers.get("location")).toBe("/");
      const { cookie } = await signInTo(core.core, account.id);
      const led = await get(`/sign-in?to=${encodeURIComponent(to)}`, cookie);
      expect(led.headers.get("location")).toBe("/");
    }
  });

  it("gives the browser a new session in the place of the one it had", async () => {
    const { cookie } = await signInTo(core.core, account.id);
    const answer = await post("/sign-in", { key: account.owner, to: "/" }, cookie);
    expect(cookieOf(answer)).not.toBe(cookie);
    expect((await get("/settings/sessions", cookie)).status).toBe(303);
    expect((await get("/settings/sessions", cookieOf(answer))).status).toBe(200);
  });

  it("is asked for again before what only a person who is there should do", async () => {
    const { cookie } = await signInTo(core.core, account.id);
    const make = (by: string) => post("/settings/keys", { name: "x", class: "owner" }, by);
    expect((await make(cookie)).status).toBe(200);
    core.clock.advance(10 * 60_000);
    const late = await make(cookie);
    expect([late.status, late.headers.get("location")]).toEqual([
      303,
      "/sign-in?to=%2Fsettings%2Fkeys&again=1",
    ]);
    expect((await get("/sign-in?to=%2Fsettings%2Fkeys&again=1", cookie)).text).toContain(
      "Confirm that it is you",
    );
    const answer = await post("/sign-in", { key: account.owner, to: "/settings/keys", again: "1" }, cookie);
    expect((await make(cookieOf(answer))).status).toBe(200);
  });

  it("is done by a link, once, and not by looking at it", async () => {
    const made = await makeSignInLink(core.core, account.id);
    const path = `/sign-in/link/${made?.token}`;
    for (let looks = 0; looks < 3; looks += 1) expect((await get(path)).status).toBe(200);
    const head = await call(api.url + path, { method: "HEAD" });
    expect([head.status, head.headers.get("set-cookie")]).toEqual([200, null]);
    const foreign = await call(api.url + path, {
      method: "POST",
      headers: { origin: "https://evil.example" },
    });
    expect(foreign.status).toBe(403);
    const answer = await post(path);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    expect((await get("/settings/keys", cookieOf(answer))).status).toBe(200);
    expect([(await get(path)).status, (await post(path)).status]).toEqual([410, 410]);
  });

  it("is limited by address, and says when to try again", async () => {
    const other = await startFixture({ level: "core" });
    const theirs = await openHttpApi(other);
    try {
      const statuses: number[] = [];
      const attempt = () =>
        call(`${theirs.url}/sign-in`, {
          method: "POST",
          form: { key: "svc_sk_wrong" },
          headers: { "sec-fetch-site": "same-origin" },
        });
      for (let tries = 0; tries < 11; tries += 1) statuses.push((await attempt()).status);
      expect(statuses).toEqual([...Array(10).fill(403), 429]);
      expect((await attempt()).headers.get("retry-after")).toBe("6");
    } finally {
      await theirs.close();
    }
  });

  it("sets cookies over https that no other host and no plain page can set", async () => {
    const policy = { baseUrl: "https://service.example", webUrl: "https://service.example" };
    const secure = await startFixture({ level: "core", policy });
    const theirs = await openHttpApi(secure);
    try {
      const { owner } = await makeAccount(secure);
      const headers = { "sec-fetch-site": "same-origin" };
      const send = (path: string, form = {}) => call(theirs.url + path, { method: "POST", form, headers });
      const attributes =
        /^__Host-([\w-]+)=svc_\w+_[\w-]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/;
      const signedIn = (await send("/sign-in", { key: owner })).headers.get("set-cookie") ?? "";
      expect(attributes.exec(signedIn)?.[1]).toBe("session");
      const begun = (await send("/sign-in/passkey/options")).headers.get("set-cookie") ?? "";
      expect(attributes.exec(begun)?.[1]).toBe("attempt-passkey");
    } finally {
      await theirs.close();
    }
  });

  it("leaves an audit entry of each attempt, and no secret anywhere", async () => {
    const revoked = await makeAccount(core);
    const keys = await core.store.committed.credentials.listKeys(revoked.id);
    const key = keys.find(({ callerClass }) => callerClass === "owner");
    await revokeApiKey(core.core, key?.id ?? "");
    core.clock.advance(1);
    const attempt = await post("/sign-in", { key: revoked.owner });
    expect(attempt.status).toBe(403);
    const rows = await core.place.query(
      "select outcome, method, account_id from audit_entries where action = 'sign_in' order by at",
    );
    expect(rows).toContainEqual({ outcome: "ok", method: "key", account_id: account.id });
    expect(rows).toContainEqual({ outcome: "ok", method: "link", account_id: account.id });
    expect(rows).toContainEqual({ outcome: "link_over", method: "link", account_id: null });
    expect(rows.at(-1)).toEqual({ outcome: "key_refused", method: "key", account_id: null });
    const logs = core.logs.join("\n");
    expect(logs).not.toMatch(/svc_(sk|at|ws|link)_/);
  });
});
