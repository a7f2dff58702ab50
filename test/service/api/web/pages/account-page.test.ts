// The account's page of the settings, and the account's name on every other page that has it, over HTTP, on both stores.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "../../../../../src/contract/roles.ts";
import { nameAccount } from "../../../../../src/service/core/accounts/account-name.ts";
import { inviteToAccount } from "../../../../../src/service/core/members/invitations.ts";
import { makeSignInLink } from "../../../../../src/service/core/sign-in/sign-in-links.ts";
import { personIn } from "../../../../../src/service/core/web-sessions/web-sessions.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { signInOperator } from "../../../../support/operators.ts";
import { addPerson } from "../../../../support/people.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { call } from "../../../../support/service-client.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const PATH = "/settings/account";
const SCRIPT = `<script>alert("1")</script>`;
const ESCAPED = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;";

onEveryStore((store) => {
  describe("the name of an account on pages", () => {
    let core: CoreFixture;
    let api: HttpApi;
    let account: TestAccount;
    let owner: string;

    beforeAll(async () => {
      core = await startFixture({ level: "core", store, policy: { webUrl: "http://localhost" } });
      api = await openHttpApi(core);
      account = await makeAccount(core);
      owner = (await signInTo(core.core, account.id)).cookie;
    });

    afterAll(() => api.close());

    const get = (path: string, cookie = "") => call(api.url + path, { headers: { cookie } });
    const post = (name: string, cookie: string, headers: Readonly<Record<string, string>> = {}) =>
      call(api.url + PATH, {
        method: "POST",
        form: { name },
        headers: { "sec-fetch-site": "same-origin", cookie, ...headers },
      });
    const nameOf = async (id = account.id) => (await core.store.committed.accounts.find(id))?.name;
    const put = async (name: string | null, accountId = account.id) =>
      await nameAccount(core.core, { accountId, name, personId: null, requestId: "r" });
    const signedIn = async (role: Role) => {
      const personId = await addPerson(core.core, { accountId: account.id, role });
      return (await signInTo(core.core, account.id, personId)).cookie;
    };

    it("is given, shown, changed and taken away by a form", async () => {
      const first = (await get(PATH, owner)).text;
      expect(first).toContain(`<code>${account.id}</code>`);
      expect(first).not.toContain("<dt>Name</dt>");
      const named = await post("  Platform team ", owner);
      expect([named.status, named.headers.get("location")]).toEqual([303, PATH]);
      const page = (await get(PATH, owner)).text;
      expect(page).toContain(`<dd dir="auto"><strong>Platform team</strong></dd>`);
      expect(page).toContain(`value="Platform team"`);
      expect((await post("", owner)).status).toBe(303);
      expect(await nameOf()).toBeNull();
    });

    it("is refused with the reason, and what was sent to correct", async () => {
      await put("Platform");
      for (const [name, reason] of [
        ["x".repeat(61), "The name must have at most 60 characters."],
        ["two\nlines", "The name must be one line without control characters and hidden characters."],
        ["a\u202eb", "The name must be one line without control characters and hidden characters."],
      ] as const) {
        const { status, text } = await post(name, owner);
        expect([status, text.includes(`role="alert">${reason}<`)]).toEqual([422, true]);
        expect(text).toContain(`value="${name}"`);
      }
      expect(await nameOf()).toBe("Platform");
    });

    it("is given by owners and admins, from pages of this service alone; others read who may", async () => {
      for (const role of ["viewer", "member"] as const) {
        const cookie = await signedIn(role);
        const { text } = await get(PATH, cookie);
        expect(text).not.toContain(`action="${PATH}"`);
        expect(text).toContain(`Admins and owners of this account name it. Your role is ${role}.`);
        const refused = await post("theirs", cookie);
        expect([refused.status, refused.text.includes("Your role may not do this")]).toEqual([403, true]);
      }
      const foreign = (await signInTo(core.core, (await makeAccount(core)).id)).cookie;
      expect((await post("theirs", foreign)).status).toBe(303);
      expect((await post("evil", owner, { "sec-fetch-site": "cross-site" })).status).toBe(403);
      const nobody = await post("evil", "");
      expect(nobody.headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(PATH)}`);
      expect(await nameOf()).toBe("Platform");
      expect((await post("of an admin", await signedIn("admin"))).status).toBe(303);
      expect(await nameOf()).toBe("of an admin");
    });

    it("stands beside the id wherever an account is named, escaped, and is taken for no element", async () => {
      await put(SCRIPT);
      const guest = await makeAccount(core);
      const theirs = await signInTo(core.core, guest.id);
      await core.store.transact((tx) =>
        tx.people.addMember({
          ...{ accountId: account.id, personId: guest.personId, role: "viewer", source: "invited" },
          ...{ addedBy: null, addedAt: core.clock.now() },
        }),
      );
      const caller = personIn({ accountId: account.id, personId: account.personId, role: "owner" });
      const invited = await inviteToAccount(core.core, { caller, role: "viewer", requestId: "r" });
      if (!invited.ok) throw new Error(invited.refusal.reason);
      const link = await makeSignInLink(core.core, account.id);
      const both = `<strong dir="auto">${ESCAPED}</strong> <code>${account.id}</code>`;
      for (const [path, cookie] of [
        [new URL(invited.value.url).pathname, ""],
        [`/sign-in/link/${link?.token}`, ""],
        ["/accounts", theirs.cookie],
        ["/settings/members", owner],
        ["/settings/keys", owner],
        ["/settings/apps", owner],
        ["/settings/sessions", owner],
      ] as const) {
        const { status, text } = await get(path, cookie);
        expect([path, status, text.includes(both)]).toEqual([path, 200, true]);
        expect(text).not.toContain("<script>alert");
      }
      expect((await get("/settings/members", owner)).text).toContain(
        `<title>Members · Settings · ${ESCAPED}</title>`,
      );
      // The bar of every page.
      for (const path of ["/", PATH, "/usage", "/approvals"]) {
        const { text } = await get(path, owner);
        expect(text).toContain(`<span dir="auto" title="${account.id}">${ESCAPED}</span>`);
        expect(text).toContain(`aria-label="Account ${ESCAPED}, owner: change"`);
        expect(text).not.toContain("<script>alert");
      }
      expect((await get("/accounts", theirs.cookie)).text).toContain(
        `aria-label="Go on here: account ${ESCAPED}, ${account.id}"`,
      );
      // Of an account without one, what there was before.
      expect((await get("/accounts", theirs.cookie)).text).toContain(`<span><code>${guest.id}</code>, owner`);
      const short = `${guest.id.slice(0, 8)}…${guest.id.slice(-4)}`;
      expect((await get("/", theirs.cookie)).text).toContain(`aria-label="Account ${short}, owner: change"`);
    });

    it("is listed and looked for by operators, escaped", async () => {
      const { cookie } = await signInOperator(core.core);
      const other = await makeAccount(core);
      await put("Data 100%", other.id);
      const rows = async (text: string) => {
        const page = (await get(`/operator/accounts?${new URLSearchParams({ text })}`, cookie)).text;
        expect(page).not.toContain("<script>alert");
        return [...page.matchAll(/href="\/operator\/accounts\/([^"]+)"/g)].map(([, id]) => id);
      };
      const all = (await get("/operator/accounts", cookie)).text;
      expect(all).toContain(`<td><span dir="auto">${ESCAPED}</span></td>`);
      expect(await rows("SCRIPT>")).toEqual([account.id]);
      expect(await rows("data")).toEqual([other.id]);
      expect(await rows("100%")).toEqual([other.id]);
      expect(await rows("0_%")).toEqual([]);
      expect(await rows(other.id.slice(-6))).toEqual([other.id]);
      expect((await get("/operator/accounts?text=nobody", cookie)).text).toContain("No account fits.");
      const one = (await get(`/operator/accounts/${account.id}`, cookie)).text;
      expect(one).toContain(`<dt>Name</dt><dd><span dir="auto">${ESCAPED}</span></dd>`);
      expect(one).not.toContain("<script>alert");
    });
  });
});
