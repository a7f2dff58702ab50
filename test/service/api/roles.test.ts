// The roles of the route table and of the pages, by machine: every operation, tool and form asked by people of each role, with
// a session, keys and the token of an application.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAtLeast, type Role, roles } from "../../../src/contract/roles.ts";
import type { CallerKind } from "../../../src/contract/route.ts";
import { routes } from "../../../src/contract/routes.ts";
import { tools } from "../../../src/service/api/mcp/tool-table.ts";
import { formRoles } from "../../../src/service/api/web/page-roles.ts";
import { webApp } from "../../../src/service/api/web/web-app.ts";
import { credentialsOf, type PersonsCredentials } from "../../support/credentials-of-person.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { openMcpClient } from "../../support/mcp/mcp-client.ts";
import { addPerson } from "../../support/people.ts";
import { makeAccount, type TestAccount } from "../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../support/service-api.ts";
import { call } from "../../support/service-client.ts";

const NOBODY = "00000000-0000-4000-8000-000000000000";
const bearers = ["ownerKey", "aiClientKey", "token"] as const;

const operations = Object.values(routes)
  .flatMap((ofNoun) => Object.values(ofNoun))
  .filter((route) => route.callers.length > 0);

describe("roles", () => {
  let core: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;
  const people = new Map<Role, PersonsCredentials>();

  beforeAll(async () => {
    core = await startFixture({ level: "core", policy: { ratePerMinute: 1_000_000 } });
    api = await openHttpApi(core);
    account = await makeAccount(core);
    for (const role of roles) {
      const personId = await addPerson(core.core, { accountId: account.id, role });
      people.set(role, await credentialsOf(core.core, { accountId: account.id, personId }));
    }
  });

  afterAll(() => api.close());

  const personOf = (role: Role): PersonsCredentials => {
    const person = people.get(role);
    if (person === undefined) throw new Error(`There is no ${role}.`);
    return person;
  };

  it("are of every operation that people may call, and of no other", () => {
    const odd = operations.filter(
      (route) => "role" in route === route.callers.every((caller: CallerKind) => caller === "job"),
    );
    expect(odd.map(({ operationId }) => operationId)).toEqual([]);
    expect(operations.length).toBeGreaterThan(110);
  });

  it.each(roles)("let a person and whoever acts for them do what the table says: %s", async (role) => {
    const wrong: string[] = [];
    for (const route of operations) {
      if (!("role" in route)) continue;
      const path = route.path.replace(/\{\w+\}/g, NOBODY);
      for (const bearer of bearers) {
        const authorization = `Bearer ${personOf(role)[bearer]}`;
        const { body, status } = await call(api.url + path, {
          method: route.method,
          headers: { authorization },
        });
        const isRefused = (body as { code?: string } | null)?.code === "role_needed";
        if (isRefused === isAtLeast(role, route.role) || (isRefused && status !== 403))
          wrong.push(`${route.operationId} ${bearer} ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(roles)("hold for every tool: %s", async (role) => {
    const client = await openMcpClient(api.url, { bearer: personOf(role).token });
    try {
      const wrong: string[] = [];
      for (const tool of tools) {
        const answer = await client.callTool({ name: tool.listing.name, arguments: { unknown: 1 } });
        const isRefused = JSON.stringify(answer.content).includes("role_needed");
        if (isRefused === isAtLeast(role, tool.role)) wrong.push(tool.listing.name);
      }
      expect(wrong).toEqual([]);
    } finally {
      await client.close();
    }
  });

  it("are of every form", () => {
    const { routes: ofPages } = webApp({} as Parameters<typeof webApp>[0]);
    const posted = ofPages.filter(({ method }) => method === "POST").map(({ path }) => path);
    expect(Object.keys(formRoles).sort()).toEqual([...new Set(posted)].sort());
  });

  it.each(roles)("hold for every form of the pages: %s", async (role) => {
    const { cookie } = personOf(role);
    const wrong: string[] = [];
    for (const [form, needed] of Object.entries(formRoles)) {
      // They end this very session, or others' attempts to sign in.
      if (needed === "anybody") continue;
      const path = form.replace(/:\w+/g, NOBODY);
      const headers = { cookie, "sec-fetch-site": "same-origin" };
      const { text } = await call(api.url + path, { method: "POST", headers, form: {} });
      const isRefused = text.includes("Your role may not do this");
      if (isRefused === isAtLeast(role, needed)) wrong.push(form);
    }
    expect(wrong).toEqual([]);
  });

  it("are those of now: a demotion holds at the next request, a removal ends all", async () => {
    const { store } = core.core;
    const personId = await addPerson(core.core, { accountId: account.id, role: "member" });
    const mine = await credentialsOf(core.core, { accountId: account.id, personId });
    const submit = async (bearer: string) => {
      const { status, body } = await call(`${api.url}/v1/agents/${account.agent.id}/runs`, {
        method: "POST",
        headers: { authorization: `Bearer ${bearer}` },
        json: {},
      });
      return [status, (body as { code: string }).code];
    };
    const post = async () =>
      (
        await call(`${api.url}/agent/${account.agent.id}/runs`, {
          method: "POST",
          headers: { cookie: mine.cookie, "sec-fetch-site": "same-origin" },
          form: {},
        })
      ).text.includes("Your role may not do this");
    for (const bearer of bearers) expect(await submit(mine[bearer])).toEqual([400, "invalid_request"]);
    expect(await post()).toBe(false);
    const membership = await store.committed.people.findMember({ accountId: account.id, personId });
    if (membership === null) throw new Error("There is no member.");
    await store.transact((tx) => tx.people.changeMember({ ...membership, role: "viewer" }));
    for (const bearer of bearers) expect(await submit(mine[bearer])).toEqual([403, "role_needed"]);
    expect(await post()).toBe(true);
    await store.transact((tx) => tx.people.removeMember({ accountId: account.id, personId }));
    for (const bearer of bearers) expect(await submit(mine[bearer])).toEqual([401, "unauthorized"]);
    const { status, headers } = await call(`${api.url}/`, { headers: { cookie: mine.cookie } });
    expect([status, headers.get("location")?.startsWith("/sign-in")]).toEqual([303, true]);
  });

  it("are of one account: a person's role in another gives nothing here", async () => {
    const other = await makeAccount(core);
    const { ownerKey, aiClientKey, token } = personOf("owner");
    for (const bearer of [ownerKey, aiClientKey, token]) {
      const headers = { authorization: `Bearer ${bearer}` };
      const answer = await call(`${api.url}/v1/agents/${other.agent.id}`, { headers });
      expect(answer.status).toBe(403);
    }
  });
});
