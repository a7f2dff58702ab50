// The members' page, the page of an invitation, and the choice among accounts, over HTTP.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RECENT_MS } from "../../../../../src/service/core/web-sessions/web-session.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { type Answer, call } from "../../../../support/service-client.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

describe("the pages of members", () => {
  let core: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;
  let owner: string;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
    account = await makeAccount(core);
    owner = (await signInTo(core.core, account.id)).cookie;
  });

  afterAll(() => api.close());

  const get = (path: string, cookie = "") => call(api.url + path, { headers: { cookie } });
  const post = (path: string, form: Readonly<Record<string, string>>, cookie = "") =>
    call(api.url + path, { method: "POST", form, headers: { "sec-fetch-site": "same-origin", cookie } });
  const cookieOf = ({ headers }: Answer) => (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const invite = async (role: string): Promise<string> => {
    const { text } = await post("/settings/members/invite", { role }, owner);
    return /\/invitation\/svc_inv_[\w-]+/.exec(text)?.[0] ?? "";
  };

  it("invite by a link that is shown once, and that a new person accepts once", async () => {
    const path = await invite("member");
    expect((await get("/settings/members", owner)).text).not.toContain(path);
    const shown = await get(path);
    expect(shown.text).toContain(account.id);
    expect(shown.text).toContain("member");
    const joined = await post(path, { as: "new", name: "Ada" }, "");
    expect(joined.status).toBe(303);
    const cookie = cookieOf(joined);
    const members = await get("/settings/members", cookie);
    expect(members.text).toContain("Ada");
    expect(members.text).toContain("You are its member");
    expect([(await get(path)).status, (await post(path, { as: "new", name: "Eve" })).status]).toEqual([
      410, 410,
    ]);
    expect((await get("/settings/keys", cookie)).status).toBe(403);
    expect((await post("/settings/members/invite", { role: "viewer" }, cookie)).status).toBe(403);
  });

  it("change a role, and remove with the keys taken over, where the proof of who is there is fresh", async () => {
    const cookie = cookieOf(await post(await invite("admin"), { as: "new", name: "Grace" }));
    const members = await core.store.committed.people.listMembers(account.id);
    const person = members.find(({ name }) => name === "Grace")?.personId ?? "";
    const changed = await post("/settings/members/change", { person, role: "viewer", keys: "end" }, owner);
    expect([changed.status, changed.headers.get("location")]).toEqual([303, "/settings/members"]);
    expect((await get("/settings/members", cookie)).text).toContain("You are its viewer");
    const last = { person: account.personId, keys: "end" };
    const refused = await post("/settings/members/remove", last, owner);
    expect([refused.status, refused.text.includes("no owner left")]).toEqual([409, true]);
    core.clock.advance(RECENT_MS);
    const stale = await post("/settings/members/remove", { person, keys: "take_over" }, owner);
    expect(stale.headers.get("location")).toContain("again=1");
    owner = (await signInTo(core.core, account.id)).cookie;
    expect((await post("/settings/members/remove", { person, keys: "take_over" }, owner)).status).toBe(303);
    expect((await get("/settings/members", cookie)).status).toBe(303);
  });

  it("leave owners' keys to owners, and those of AI clients to admins, too", async () => {
    const cookie = cookieOf(await post(await invite("admin"), { as: "new", name: "Lin" }));
    const keyOf = async (name: string) => {
      const keys = await core.store.committed.credentials.listKeys(account.id);
      return keys.find((key) => key.name === name);
    };
    await post("/settings/keys", { name: "of the owner", class: "owner" }, owner);
    const refused = await post("/settings/keys", { name: "theirs", class: "owner" }, cookie);
    expect([refused.status, await keyOf("theirs")]).toEqual([422, undefined]);
    const made = await post("/settings/keys", { name: "of a client", class: "ai_client" }, cookie);
    expect([made.status, (await keyOf("of a client"))?.callerClass]).toEqual([200, "ai_client"]);
    const shown = (await get("/settings/keys", cookie)).text;
    expect(shown).toContain("Revoke key of a client");
    expect(shown).not.toContain("Revoke key of the owner");
    for (const name of ["of the owner", "of a client"])
      await post("/settings/keys/revoke", { id: (await keyOf(name))?.id ?? "" }, cookie);
    expect((await keyOf("of the owner"))?.revokedAt).toBeNull();
    expect((await keyOf("of a client"))?.revokedAt).not.toBeNull();
  });

  it("let a person of several accounts choose, at signing in and later, and nobody choose another's", async () => {
    const other = await makeAccount(core);
    const theirs = await signInTo(core.core, other.id);
    const joined = await post(await invite("viewer"), { as: "me" }, theirs.cookie);
    const here = cookieOf(joined);
    expect((await get("/settings/members", here)).text).toContain(`account <code>${account.id}</code>`);
    const choice = await get("/accounts?to=/settings/credits", here);
    expect(choice.text).toContain(account.id);
    expect(choice.text).toContain(other.id);
    const switched = await post("/accounts", { account: other.id, to: "/settings/credits" }, here);
    expect(switched.headers.get("location")).toBe("/settings/credits");
    expect((await get("/settings/members", cookieOf(switched))).text).toContain("You are its owner");
    // The session of before is gone with the switch.
    expect((await get("/settings/members", here)).status).toBe(303);
    const foreign = await makeAccount(core);
    const back = cookieOf(switched);
    expect((await post("/accounts", { account: foreign.id }, back)).status).toBe(404);
    const signedIn = await post("/sign-in", { key: other.owner, to: "/settings/credits" });
    expect(signedIn.headers.get("location")).toBe("/settings/credits");
  });
});
