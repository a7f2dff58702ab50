// Who is in an account, on both stores: invitations, roles, removals, what they end, and that an owner stays.

import { randomInt } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAtLeast, type Role, roles } from "../../../../src/contract/roles.ts";
import { openAccount } from "../../../../src/service/core/accounts/keys.ts";
import { authenticate } from "../../../../src/service/core/authentication/authenticate.ts";
import { INVITATION_MS } from "../../../../src/service/core/members/invitation.ts";
import {
  acceptAsNewPerson,
  acceptInvitation,
  describeInvitation,
  inviteToAccount,
  withdrawInvitation,
} from "../../../../src/service/core/members/invitations.ts";
import { changeAccountMember, removeAccountMember } from "../../../../src/service/core/members/members.ts";
import { findWebSession, personIn } from "../../../../src/service/core/web-sessions/web-sessions.ts";
import { credentialsOf } from "../../../support/credentials-of-person.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { addPerson } from "../../../support/people.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const requestId = "r";

onEveryStore((kind) => {
  describe("people of an account", () => {
    let fixture: CoreFixture;
    let accountId: string;
    let owner: string;

    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store: kind });
      const { id, ownerId } = await openAccount(fixture.core, "registered_free");
      accountId = id;
      owner = ownerId;
    });

    afterEach(() => fixture.close());

    const callerOf = async (personId: string) => {
      const member = await fixture.store.committed.people.findMember({ accountId, personId });
      return personIn({ accountId, personId, role: member?.role ?? "viewer" });
    };
    const change = async (by: string, personId: string, role: Role, keys: "end" | "take_over" = "end") => {
      const caller = await callerOf(by);
      const done = await changeAccountMember(fixture.core, { caller, personId, role, keys, requestId });
      return done.ok ? "ok" : done.refusal.reason;
    };
    const remove = async (by: string, personId: string, keys: "end" | "take_over" = "end") => {
      const caller = await callerOf(by);
      const done = await removeAccountMember(fixture.core, { caller, personId, keys, requestId });
      return done.ok ? "ok" : done.refusal.reason;
    };
    const add = (role: Role) => addPerson(fixture.core, { accountId, role });
    const invite = async (role: Role, by = owner) => {
      const made = await inviteToAccount(fixture.core, { caller: await callerOf(by), role, requestId });
      if (!made.ok) throw new Error(made.refusal.reason);
      return { ...made.value, token: made.value.url.split("/").at(-1) ?? "" };
    };
    const join = async (token: string) => {
      const joined = await acceptAsNewPerson(fixture.core, { token, name: "Ada", requestId });
      return joined.ok ? joined.value.role : joined.refusal.reason;
    };
    const outcomeOf = async (bearer: string) => {
      const caller = await authenticate(fixture.core, bearer);
      if (!caller.ok) return caller.refusal.reason;
      return caller.value.kind === "account" ? caller.value.role : "job";
    };
    const owners = async () =>
      (await fixture.store.committed.people.listMembers(accountId)).filter(({ role }) => role === "owner")
        .length;

    it("come by a link that works once and for seven days, and whose text is stored nowhere", async () => {
      const { token, invitation } = await invite("member");
      expect(await describeInvitation(fixture.core, token)).toEqual(invitation);
      expect(JSON.stringify(invitation)).not.toContain(token);
      const both = await Promise.all([join(token), join(token)]);
      expect(both.sort()).toEqual(["invitation_not_found", "member"]);
      expect(await join(token)).toBe("invitation_not_found");
      const late = await invite("viewer");
      fixture.clock.advance(INVITATION_MS);
      expect([await describeInvitation(fixture.core, late.token), await join(late.token)]).toEqual([
        null,
        "invitation_not_found",
      ]);
      expect([await join("svc_inv_x"), await join("")]).toEqual(Array(2).fill("invitation_not_found"));
    });

    it("join as who they are elsewhere; a link opened by a member stays good for whom it was made", async () => {
      const elsewhere = await openAccount(fixture.core, "registered_free");
      const caller = personIn({ accountId: elsewhere.id, personId: elsewhere.ownerId, role: "owner" });
      const { token } = await invite("admin");
      const own = await acceptInvitation(fixture.core, { caller: await callerOf(owner), token, requestId });
      expect(own).toEqual({ ok: false, refusal: { reason: "already_member" } });
      const joined = await acceptInvitation(fixture.core, { caller, token, requestId });
      expect(joined).toMatchObject({ ok: true, value: { accountId, role: "admin" } });
      const again = await acceptInvitation(fixture.core, { caller, token, requestId });
      expect(again).toEqual({ ok: false, refusal: { reason: "invitation_not_found" } });
      const accounts = await fixture.store.committed.people.listMemberships(elsewhere.ownerId);
      expect(accounts.map((one) => one.accountId).sort()).toEqual([accountId, elsewhere.id].sort());
      const aiClient = { ...caller, callerClass: "ai_client" } as const;
      const { token: other } = await invite("viewer");
      expect(
        await acceptInvitation(fixture.core, { caller: aiClient, token: other, requestId }),
      ).toMatchObject({
        ok: false,
        refusal: { reason: "owner_needed" },
      });
    });

    it("invite no further than their own rank, and what they invited ends with it", async () => {
      const admin = await add("admin");
      for (const role of ["admin", "owner"] as const)
        await expect(invite(role, admin)).rejects.toThrow("rank_exceeded");
      const { token } = await invite("viewer", admin);
      expect(await change(owner, admin, "member")).toBe("ok");
      expect(await join(token)).toBe("invitation_not_found");
      await expect(invite("viewer", admin)).rejects.toThrow("rank_exceeded");
      const withdrawn = await invite("member");
      const caller = await callerOf(owner);
      const withdraw = () =>
        withdrawInvitation(fixture.core, { caller, id: withdrawn.invitation.id, requestId });
      expect([(await withdraw()).ok, (await withdraw()).ok]).toEqual([true, false]);
      expect(await join(withdrawn.token)).toBe("invitation_not_found");
    });

    it("lose owners' keys with the role, and everything with the membership", async () => {
      const second = await add("owner");
      const theirs = await credentialsOf(fixture.core, { accountId, personId: second });
      const session = () => findWebSession(fixture.core, theirs.cookie.split("=")[1] ?? "");
      expect(await change(owner, second, "member")).toBe("ok");
      expect(await outcomeOf(theirs.ownerKey)).toBe("key_revoked");
      expect(await outcomeOf(theirs.aiClientKey)).toBe("member");
      expect(await outcomeOf(theirs.token)).toBe("member");
      expect((await session())?.role).toBe("member");
      expect(await remove(owner, second)).toBe("ok");
      // What has ended does not come back with them.
      await fixture.store.transact((tx) =>
        tx.people.addMember({
          accountId,
          personId: second,
          role: "owner",
          source: "invited",
          addedBy: owner,
          addedAt: 1,
        }),
      );
      expect(await outcomeOf(theirs.aiClientKey)).toBe("key_revoked");
      expect(await outcomeOf(theirs.token)).toBe("access_token_revoked");
      expect(await session()).toBeNull();
    });

    it("leave their keys to an owner who takes them over in the same step", async () => {
      const [second, admin] = [await add("owner"), await add("admin")];
      const theirs = await credentialsOf(fixture.core, { accountId, personId: second });
      expect(await remove(admin, second, "take_over")).toBe("rank_exceeded");
      expect(await remove(second, second, "take_over")).toBe("take_over_refused");
      expect(await change(owner, second, "viewer", "take_over")).toBe("ok");
      expect(await outcomeOf(theirs.ownerKey)).toBe("owner");
      expect(await outcomeOf(theirs.aiClientKey)).toBe("viewer");
      expect(await remove(owner, second, "take_over")).toBe("ok");
      expect(await outcomeOf(theirs.aiClientKey)).toBe("owner");
      expect(await outcomeOf(theirs.token)).toBe("access_token_revoked");
    });

    it("keep a last owner, also where two owners leave or demote each other at the same time", async () => {
      expect(await remove(owner, owner)).toBe("last_owner");
      expect(await change(owner, owner, "admin")).toBe("last_owner");
      const second = await add("owner");
      const left = await Promise.all([remove(owner, owner), remove(second, second)]);
      expect(left.sort()).toEqual(["last_owner", "ok"]);
      expect(await owners()).toBe(1);
      const [one] = await fixture.store.committed.people.listMembers(accountId);
      const third = await add("owner");
      const first = one?.personId ?? "";
      const [firstCaller, thirdCaller] = [await callerOf(first), await callerOf(third)];
      const demote = (caller: typeof firstCaller, personId: string) =>
        changeAccountMember(fixture.core, { caller, personId, role: "viewer", keys: "end", requestId });
      const demoted = await Promise.all([demote(firstCaller, third), demote(thirdCaller, first)]);
      expect(demoted.filter(({ ok }) => ok)).toHaveLength(1);
      expect(await owners()).toBe(1);
    });

    it("leave who decided what about whom in the audit trail", async () => {
      const person = await add("member");
      await change(owner, person, "viewer");
      fixture.clock.advance(1);
      await remove(person, person);
      fixture.clock.advance(1);
      const { token } = await invite("admin");
      fixture.clock.advance(1);
      await join(token);
      const query = { accountId, action: null, repositoryName: null, before: null, limit: 10 };
      const entries = (await fixture.store.committed.audit.list(query)).toReversed();
      const joined = entries.at(-1)?.personId;
      expect(
        entries.map(({ action, method, personId, aboutPersonId }) => [
          action,
          method,
          personId,
          aboutPersonId,
        ]),
      ).toEqual([
        ["member_changed", "viewer", owner, person],
        ["member_removed", "viewer", person, person],
        ["member_invited", "admin", owner, undefined],
        ["member_joined", "admin", joined, undefined],
      ]);
    });

    it("may do what a reference model says, through any number of changes", async () => {
      const people = [owner, ...(await Promise.all(roles.map(add)))];
      const model = new Map<string, Role>(
        people.map((person, at) => [person, at === 0 ? "owner" : (roles[at - 1] ?? "viewer")]),
      );
      const credentials = new Map<string, string>();
      for (const personId of people) {
        const { aiClientKey } = await credentialsOf(fixture.core, { accountId, personId });
        credentials.set(personId, aiClientKey);
      }
      const outranks = (actor: Role, ...targets: (Role | null)[]) =>
        actor === "owner" ||
        (actor === "admin" && targets.every((role) => role === null || !isAtLeast(role, "admin")));
      for (let step = 0; step < 120; step += 1) {
        const [by, about] = [people[randomInt(people.length)] ?? "", people[randomInt(people.length)] ?? ""];
        const to = step % 40 === 39 ? null : (roles[randomInt(roles.length)] ?? "viewer");
        const [actor, from] = [model.get(by), model.get(about)];
        const done = to === null ? await remove(by, about) : await change(by, about, to);
        const ownersLeft = [...model].filter(([person, role]) => role === "owner" && person !== about).length;
        const isAllowed =
          actor !== undefined &&
          from !== undefined &&
          (outranks(actor, from, to) || (to === null && by === about)) &&
          (from !== "owner" || to === "owner" || ownersLeft > 0);
        expect([step, done === "ok"]).toEqual([step, isAllowed]);
        if (isAllowed && to === null) model.delete(about);
        if (isAllowed && to !== null) model.set(about, to);
        for (const [person, key] of credentials)
          expect(["membership_ended", "key_revoked", model.get(person)]).toContain(await outcomeOf(key));
        for (const person of people) {
          const found = await fixture.store.committed.people.findMember({ accountId, personId: person });
          expect(found?.role).toBe(model.get(person));
        }
      }
    });
  });
});
