// Roles by groups of an OpenID provider, over real sockets: who becomes a member, as what, until when, and what stays as it is.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CLIENT_ID, CLIENT_SECRET } from "../../../../../fakes/identity-provider/code-grant.ts";
import {
  type OpenidProvider,
  startOpenidProvider,
} from "../../../../../fakes/identity-provider/openid-provider.ts";
import { systemRandom } from "../../../../../src/base/ids.ts";
import type { Role } from "../../../../../src/contract/roles.ts";
import { makeTestKey, operateOn, type TestKey } from "../../../../support/account-key.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { call } from "../../../../support/service-client.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { sqliteStore } from "../../../../support/stores/stores.ts";
import { WebBrowser } from "../../../../support/web-browser.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const HOUR_MS = 60 * 60 * 1000;
const rolesByGroup = [
  ["platform", "admin"],
  ["root:wheel", "owner"],
  ["readers", "viewer"],
] as const;

onEveryStore((kind) => {
  describe("roles by groups", () => {
    let fixture: ServiceFixture;
    let openid: OpenidProvider;
    let key: TestKey;
    let people = 0;

    const configOf = (ofEverybody: Role | null, accountId = key.accountId) => ({
      backend: "noop",
      signIn: {
        signUp: { kind: "closed" },
        providers: [
          {
            id: "oidc",
            title: "Example",
            issuer: openid.url,
            clientId: CLIENT_ID,
            clientSecret: CLIENT_SECRET,
            scope: "openid groups",
            roles: { claim: "groups", accountId, byGroup: new Map<string, Role>(rolesByGroup), ofEverybody },
          },
        ],
      } as const,
    });

    beforeAll(async () => {
      openid = await startOpenidProvider();
      fixture = await startFixture({ level: "service", store: kind });
    });

    // An account of its own for each test.
    beforeEach(async () => {
      await fixture.stop();
      key = await makeTestKey(fixture.place);
      await fixture.restart({ config: configOf(null) });
    });

    afterAll(async () => {
      await fixture.close();
      await openid.close();
    });

    const freshPerson = () => {
      people += 1;
      return { sub: `s-${people}`, preferred_username: `ada-${people}` };
    };
    const signInAs = async (claims: Record<string, unknown>, browser = new WebBrowser()) => {
      openid.claims = claims;
      // Rows of one millisecond have no order.
      fixture.clock.advance(1);
      const { answer, url } = await browser.open(`${fixture.url}/sign-in/with/oidc?to=/settings/members`);
      return { status: answer.status, text: answer.text, path: new URL(url).pathname, browser };
    };
    const members = async () =>
      (await fixture.place.query(
        `select memberships.role, memberships.source, people.name, people.id from memberships
          join people on people.id = memberships.person_id
          where account_id = '${key.accountId}' order by added_at, people.id`,
      )) as { role: Role; source: string; name: string; id: string }[];
    const idsOf = async (wanted: "opened" | "groups") =>
      (await members()).filter(({ source }) => source === wanted).map(({ id }) => id);
    const byGroups = async () =>
      (await members()).filter(({ source }) => source === "groups").map(({ name, role }) => [name, role]);
    const removeFirst = async (browser: WebBrowser) => {
      const [person = ""] = await idsOf("opened");
      const removed = await browser.post(`${fixture.url}/settings/members/remove`, { person, keys: "end" });
      expect(removed.status).toBe(303);
    };
    const pageOf = async (browser: WebBrowser) => {
      const { answer, url } = await browser.open(`${fixture.url}/settings/members`);
      return new URL(url).pathname === "/sign-in" ? "signed out" : answer.text;
    };
    const lastAudited = async (action: string) => {
      const rows = await fixture.place.query(
        `select outcome, method, person_id, about_person_id from audit_entries
          where account_id = '${key.accountId}' and action = '${action}' order by id desc limit 1`,
      );
      return rows[0];
    };
    const accounts = async () => (await fixture.place.query("select id from accounts")).length;

    it("make a member of whoever signs in, with the highest role, and open no account", async () => {
      const before = await accounts();
      const ada = freshPerson();
      const { status, text } = await signInAs({ ...ada, groups: ["readers", "platform", "of no use"] });
      expect([status, text]).toEqual([200, expect.stringContaining("You are its admin")]);
      expect(await byGroups()).toEqual([[ada.preferred_username, "admin"]]);
      expect(await accounts()).toBe(before);
      const [joined] = await idsOf("groups");
      const entry = { outcome: "ok", method: "admin", person_id: joined, about_person_id: null };
      expect(await lastAudited("member_joined")).toEqual(entry);
      // A second time the same person, and one group as a text.
      await signInAs({ ...ada, groups: "platform" });
      expect(await byGroups()).toEqual([[ada.preferred_username, "admin"]]);
    });

    it("change the role at the next sign-in, for whatever is open already", async () => {
      const ada = freshPerson();
      const { browser } = await signInAs({ ...ada, groups: ["platform"] });
      await signInAs({ ...ada, groups: ["readers"] });
      expect(await pageOf(browser)).toContain("You are its viewer");
      const [changed] = await idsOf("groups");
      const entry = { outcome: "ok", method: "viewer", person_id: null, about_person_id: changed };
      expect(await lastAudited("member_changed")).toEqual(entry);
      await signInAs({ ...ada, groups: ["root:wheel"] });
      expect(await pageOf(browser)).toContain("You are its owner");
    });

    it("take the membership from whoever has none of them any more, and all that was open", async () => {
      const ada = freshPerson();
      const { browser } = await signInAs({ ...ada, groups: ["platform"] });
      const over = await signInAs({ ...ada, groups: ["elsewhere"] });
      expect([over.status, over.text]).toEqual([403, expect.stringContaining("None of your groups")]);
      expect([await byGroups(), await pageOf(browser)]).toEqual([[], "signed out"]);
      expect(await lastAudited("member_removed")).toMatchObject({ outcome: "ok", person_id: null });
      // Somebody new without a group is nobody here; back in the group they are who they were.
      const stranger = await signInAs({ ...freshPerson(), groups: [] });
      expect([stranger.status, stranger.text]).toEqual([403, expect.stringContaining("None of your groups")]);
      await signInAs({ ...ada, groups: ["platform"] });
      expect(await byGroups()).toEqual([[ada.preferred_username, "admin"]]);
    });

    it("neither demote nor remove the last owner", async () => {
      const ada = freshPerson();
      const { browser } = await signInAs({ ...ada, groups: ["root:wheel"] });
      await removeFirst(browser);
      for (const groups of [["readers"], []]) {
        const { status, text } = await signInAs({ ...ada, groups });
        expect([status, text]).toEqual([200, expect.stringContaining("You are its owner")]);
      }
      expect(await lastAudited("member_removed")).toMatchObject({ outcome: "last_owner" });
      expect(await lastAudited("member_changed")).toMatchObject({ outcome: "last_owner" });
      // With another owner both would be done.
      await signInAs({ ...freshPerson(), groups: ["root:wheel"] });
      await signInAs({ ...ada, groups: ["readers"] });
      expect((await byGroups()).map(([, role]) => role)).toEqual(["viewer", "owner"]);
    });

    // The rest has no SQL of its own, and is the same on every store.
    if (kind !== sqliteStore) return;

    it("give everybody a role where the map says so", async () => {
      await fixture.restart({ config: configOf("member") });
      const [ada, eve] = [freshPerson(), freshPerson()];
      await signInAs(ada);
      await signInAs({ ...eve, groups: ["readers"] });
      expect(await byGroups()).toEqual([
        [ada.preferred_username, "member"],
        [eve.preferred_username, "member"],
      ]);
    });

    it("leave a member as they are whom somebody has invited, or who opened the account", async () => {
      const browser = new WebBrowser();
      await browser.post(`${fixture.url}/sign-in`, { key: key.secret, to: "/" });
      const ada = freshPerson();
      openid.claims = ada;
      await browser.open(`${fixture.url}/settings/identities/link/oidc`);
      for (const groups of [["readers"], ["elsewhere"]]) {
        const { status, text } = await signInAs({ ...ada, groups });
        expect([status, text]).toEqual([200, expect.stringContaining("You are its owner")]);
      }
      expect((await members()).map(({ role, source }) => [role, source])).toEqual([["owner", "opened"]]);
    });

    it("end a session within 12 hours, however often it is seen", async () => {
      const { browser } = await signInAs({ ...freshPerson(), groups: ["platform"] });
      for (let hours = 0; hours < 11; hours += 1) {
        fixture.clock.advance(HOUR_MS);
        expect(await pageOf(browser)).toContain("You are its admin");
      }
      fixture.clock.advance(HOUR_MS);
      expect(await pageOf(browser)).toBe("signed out");
    });

    it("are asked for at each way in: no key, and no session of another account, leads past the provider", async () => {
      const ada = freshPerson();
      const { browser } = await signInAs({ ...ada, groups: ["root:wheel"] });
      await removeFirst(browser);
      const [personId = ""] = await idsOf("groups");
      await fixture.stop();
      // The operator's key is the first owner's, who is there by groups.
      const { accountId } = key;
      const own = await makeTestKey(fixture.place, { owner: { accountId } });
      const elsewhere = await makeTestKey(fixture.place);
      const link = await operateOn(fixture.place, (operator) => operator.makeSignInLink(accountId));
      const store = await fixture.place.open();
      const invited = { accountId: elsewhere.accountId, personId, role: "owner", source: "invited" } as const;
      await store.transact((tx) => tx.people.addMember({ ...invited, addedBy: null, addedAt: 1 }));
      const { clock } = fixture;
      const { cookie } = await signInTo(
        { store, clock, random: systemRandom },
        elsewhere.accountId,
        personId,
      );
      await store.close();
      await fixture.restart({ config: configOf(null) });
      const refused = await new WebBrowser().post(`${fixture.url}/sign-in`, { key: own.secret, to: "/" });
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining("Sign in with that provider"),
      ]);
      // A session of the other account, which no provider ends, gets no further from there.
      const form = { account: accountId, to: "/settings/members" };
      const headers = { cookie, "sec-fetch-site": "same-origin" };
      const chosen = await call(`${fixture.url}/accounts`, { method: "POST", form, headers });
      expect(chosen.headers.get("location")).toBe("/sign-in/with/oidc?to=/accounts");
      await signInAs({ ...ada, groups: ["root:wheel"] }, browser);
      expect((await browser.post(`${fixture.url}/accounts`, form)).headers.get("location")).toBe(form.to);
      // The operator may let them in.
      const guest = new WebBrowser();
      expect((await guest.post(`${fixture.url}/sign-in/link/${link?.token}`)).status).toBe(303);
      expect(await pageOf(guest)).toContain("You are its owner");
      fixture.clock.advance(12 * HOUR_MS);
      expect(await pageOf(guest)).toBe("signed out");
    });

    it.each([
      ["a number", { groups: 7 }],
      ["an object", { groups: { platform: true } }],
      ["a list of more than texts", { groups: ["platform", 7] }],
      ["lists in a list", { groups: [["platform"]] }],
      ["too many groups", { groups: Array.from({ length: 10_001 }, () => "platform") }],
      ["groups that are elsewhere", { _claim_names: { groups: "src1" }, _claim_sources: {} }],
    ])("stay as they are where the claim is %s", async (_what, wrong) => {
      const ada = freshPerson();
      await signInAs({ ...ada, groups: ["readers"] });
      const { status, text } = await signInAs({ ...ada, ...wrong });
      expect([status, text]).toEqual([403, expect.stringContaining("did not say which groups")]);
      expect(await byGroups()).toEqual([[ada.preferred_username, "viewer"]]);
    });

    it("are found among a thousand groups, and in no name that only looks like one", async () => {
      const ada = freshPerson();
      const many = Array.from({ length: 1_000 }, (_, index) => `group-${index}`);
      await signInAs({ ...ada, groups: [...many, "platform"] });
      expect(await byGroups()).toEqual([[ada.preferred_username, "admin"]]);
      const hostile = [
        "*",
        "__proto__",
        "constructor",
        "Platform",
        " platform",
        "platform\u0000",
        "platform:owner",
      ];
      expect((await signInAs({ ...ada, groups: hostile })).status).toBe(403);
      expect(await byGroups()).toEqual([]);
    });

    it("lead to an account that is there: the service does not start without", async () => {
      const missing = "00000000-0000-7000-8000-000000000000";
      await expect(fixture.restart({ config: configOf(null, missing) })).rejects.toThrow(
        `ROLE_ACCOUNT names account ${missing}, which this store does not have`,
      );
    });
  });
});
