// GET and PATCH /v1/account over HTTP, on both stores: who reads the account, who names it, and what is no name.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Role, roles } from "../../../../../src/contract/roles.ts";
import { credentialsOf, type PersonsCredentials } from "../../../../support/credentials-of-person.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { addPerson } from "../../../../support/people.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { type Answer, call } from "../../../../support/service-client.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

onEveryStore((store) => {
  describe("an account", () => {
    let core: CoreFixture;
    let api: HttpApi;
    let account: TestAccount;
    let other: TestAccount;
    const people = new Map<Role, PersonsCredentials>();

    beforeAll(async () => {
      core = await startFixture({ level: "core", store });
      api = await openHttpApi(core);
      account = await makeAccount(core);
      other = await makeAccount(core);
      for (const role of roles) {
        const personId = await addPerson(core.core, { accountId: account.id, role });
        people.set(role, await credentialsOf(core.core, { accountId: account.id, personId }));
      }
    });

    afterAll(() => api.close());

    const read = (bearer: string) => call(`${api.url}/v1/account`, { bearer });
    const patch = (bearer: string, json: unknown) =>
      call(`${api.url}/v1/account`, { method: "PATCH", bearer, json });
    const nameOf = async () => (await core.store.committed.accounts.find(account.id))?.name;
    const entries = async (accountId = account.id) =>
      await core.store.committed.audit.list({
        ...{ accountId, action: "account_named", repositoryName: null, before: null, limit: 100 },
      });
    const credentials = (role: Role): PersonsCredentials => {
      const held = people.get(role);
      if (held === undefined) throw new Error(role);
      return held;
    };
    const refusal = ({ status, body }: Answer) => ({ status, ...(body as object) });

    it("has no name at first, and is read by everybody in it and by their applications", async () => {
      const { createdAt = 0 } = (await core.store.committed.accounts.find(account.id)) ?? {};
      const shown = { id: account.id, name: null, created_at: new Date(createdAt).toISOString() };
      for (const role of roles) {
        const { ownerKey, aiClientKey, token } = credentials(role);
        for (const bearer of [ownerKey, aiClientKey, token]) {
          const answer = await read(bearer);
          expect([answer.status, answer.body]).toEqual([200, shown]);
          expect(answer.headers.get("cache-control")).toBe("private, no-store");
        }
      }
      expect((await read(other.owner)).body).toMatchObject({ id: other.id, name: null });
      expect((await call(`${api.url}/v1/account`)).status).toBe(401);
    });

    it("is named by its owners and admins, with one entry each that names the person", async () => {
      for (const role of ["owner", "admin"] as const) {
        const { ownerKey, personId } = credentials(role);
        core.clock.advance(1_000);
        const answer = await patch(ownerKey, { name: `  of the ${role}\t` });
        expect([answer.status, answer.body]).toMatchObject([200, { id: account.id, name: `of the ${role}` }]);
        expect((await read(account.aiClient)).body).toEqual(answer.body);
        const before = await entries();
        expect(before[0]).toMatchObject({ personId, outcome: "ok", clientId: null, accountId: account.id });
        // The same once more changes nothing.
        expect((await patch(ownerKey, { name: `of the ${role}` })).status).toBe(200);
        expect((await patch(ownerKey, {})).body).toEqual(answer.body);
        expect(await entries()).toEqual(before);
      }
      expect(await entries()).toHaveLength(2);
      expect((await patch(account.owner, { name: null })).body).toMatchObject({ name: null });
      expect(await nameOf()).toBeNull();
      expect(await entries()).toHaveLength(3);
    });

    it("is named by no lesser role, by no application, and by nobody of another account", async () => {
      await patch(account.owner, { name: "Platform" });
      const before = await entries();
      for (const role of ["viewer", "member"] as const)
        expect(refusal(await patch(credentials(role).ownerKey, { name: "theirs" }))).toMatchObject({
          status: 403,
          code: "role_needed",
          error: expect.stringContaining('needs "admin"'),
        });
      for (const role of roles) {
        const { aiClientKey, token } = credentials(role);
        for (const bearer of [aiClientKey, token])
          expect((await patch(bearer, { name: "theirs" })).status, role).toBe(403);
      }
      expect((await patch(other.owner, { name: "theirs" })).body).toMatchObject({ id: other.id });
      expect(await nameOf()).toBe("Platform");
      expect(await entries()).toEqual(before);
      expect(await entries(other.id)).toHaveLength(1);
    });

    it.each([
      ["", "must not be empty"],
      [" \u00a0\u3000 ", "must not be empty"],
      ["a".repeat(61), "must have at most 60 characters"],
      ["two\nlines", "one line"],
      ["a\ttab", "one line"],
      ["\u001b[31mred", "one line"],
      ["a\u0000b", "one line"],
      ["\u202egnihtemos", "one line"],
      ["zero\u200bwidth", "one line"],
      ["\u3164", "one line"],
      ["half \ud800", "one line"],
      ["line\u2028separator", "one line"],
      [7, ""],
      [{}, ""],
    ])("has not %j as its name", async (name, allowed) => {
      await patch(account.owner, { name: "Platform" });
      const answer = refusal(await patch(account.owner, { name }));
      expect(answer).toMatchObject({
        status: 400,
        code: "invalid_request",
        fields: [{ field: "name", allowed: expect.stringContaining(allowed) }],
      });
      expect(await nameOf()).toBe("Platform");
    });

    it("refuses other fields", async () => {
      const answer = refusal(await patch(account.owner, { name: "Platform", plan: "subscribed" }));
      expect(answer).toMatchObject({ status: 400, fields: [{ field: "plan" }] });
    });

    it.each([
      "Ä, 日本, فريق and 👩‍💻",
      "<script>alert(1)</script>",
      '"; drop table accounts; --',
      "x".repeat(60),
    ])("has %j as its name, to the letter", async (name) => {
      expect((await patch(account.owner, { name })).body).toMatchObject({ name });
      expect((await read(account.owner)).body).toMatchObject({ name });
      expect(await nameOf()).toBe(name);
    });

    it("keeps its name while its plan changes, and its plan while its name changes", async () => {
      await patch(account.owner, { name: "Platform" });
      await core.store.transact(async (tx) => {
        const locked = await tx.accounts.lock(account.id);
        if (locked === null) throw new Error("It is gone.");
        await tx.accounts.update({ ...locked, plan: "subscribed" });
      });
      await patch(account.owner, { name: "Platform 2" });
      const found = await core.store.committed.accounts.find(account.id);
      expect(found).toMatchObject({ name: "Platform 2", plan: "subscribed" });
    });
  });
});
