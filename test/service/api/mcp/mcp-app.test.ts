// Who may reach the MCP endpoint, from where, with how much, and as whom.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSecretToken } from "../../../../src/base/secret-token.ts";
import { exchangeResponseSchema } from "../../../../src/contract/ci/exchange.ts";
import { MAX_REQUEST_BYTES } from "../../../../src/service/api/mcp/mcp-app.ts";
import { MAX_WAITS_OF_ACCOUNT } from "../../../../src/service/api/mcp/waits.ts";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { askRaw, openMcpClient, wires } from "../../../support/mcp/mcp-client.ts";
import { scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import { type Call, call } from "../../../support/service-client.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const ACCEPT = { accept: "application/json, text/event-stream", "content-type": "application/json" };

describe("the MCP endpoint", () => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;

  beforeAll(async () => {
    fixture = await CoreFixture.start({ backend: scriptedBackend(untilStopped) });
    fixture.executor.start();
    api = await openHttpApi(fixture);
    account = await makeAccount(fixture, "subscribed");
    await grantCredits(fixture.core, { accountId: account.id, credits: 100_000 });
  });

  afterAll(() => api.close());

  const post = ({ headers = {}, ...options }: Call = {}) =>
    call(`${api.url}/mcp`, {
      method: "POST",
      bearer: account.owner,
      raw: JSON.stringify(PING),
      ...options,
      headers: { ...ACCEPT, ...headers },
    });

  it("asks for a token, and says where a client gets one", async () => {
    const answer = await call(`${api.url}/mcp`, {
      method: "POST",
      raw: JSON.stringify(PING),
      headers: ACCEPT,
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(
      'Bearer resource_metadata="http://service.example/.well-known/oauth-protected-resource/mcp", scope="agents:read runs:read runs:write schedules:write"',
    );
    expect(answer.body).toMatchObject({
      code: "unauthorized",
      request_id: answer.headers.get("x-request-id"),
    });
    const wrong = await post({ bearer: `svc_sk_${"x".repeat(49)}` });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  it.each(["*/*", "application/json, */*", "*/*;q=0.8", "text/event-stream, */*;q=0.1"])(
    "answers a client that accepts %s",
    async (accept) => {
      const answer = await post({ headers: { accept } });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).toContain('"list_agents"');
    },
  );

  it.each(["application/json", "text/html", "*/*;q=0"])(
    "refuses one that accepts only %s",
    async (accept) => {
      expect((await post({ headers: { accept } })).status).toBe(406);
    },
  );

  it("takes no token from the address", async () => {
    const answer = await call(`${api.url}/mcp?access_token=${account.owner}`, {
      method: "POST",
      raw: JSON.stringify(PING),
      headers: ACCEPT,
    });
    expect(answer.status).toBe(401);
  });

  it("refuses CI jobs", async () => {
    const fixtureJob = await startFixture({ level: "service" });
    try {
      const exchanged = await fixtureJob.exchange(fixtureJob.mint(fixtureJob.freshRepository()));
      const answer = await fixtureJob.call("/mcp", {
        method: "POST",
        bearer: exchangeResponseSchema.parse(exchanged.body).access_token,
        raw: JSON.stringify(PING),
        headers: ACCEPT,
      });
      expect([answer.status, answer.body]).toMatchObject([403, { code: "forbidden" }]);
    } finally {
      await fixtureJob.close();
    }
  });

  it("answers its own pages and its own names alone, before it looks at a token", async () => {
    const status = async (headers: Readonly<Record<string, string>>) => (await post({ headers })).status;
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({ origin: "null" })).toBe(403);
    expect(await status({ origin: "http://service.example.evil.example" })).toBe(403);
    expect(await status({ origin: "http://service.example" })).toBe(200);
    expect(await status({ origin: "http://localhost:6274" })).toBe(200);
    const stranger = await post({ bearer: "nobody", headers: { origin: "https://evil.example" } });
    expect(stranger.status).toBe(403);
  });

  it.each([
    ["service.example", 200],
    ["service.example:8080", 200],
    ["localhost:1", 200],
    ["[::1]:1", 200],
    ["evil.example", 403],
    ["169.254.169.254", 403],
    ["127.0.0.1.evil.example", 403],
  ])("answers at the host %s with %i", async (host, status) => {
    expect(await statusAtHost(api.url, { host, bearer: account.owner })).toBe(status);
  });

  it("takes no body that is larger than a message may be, of another type, or no JSON", async () => {
    const large = await post({ raw: JSON.stringify({ ...PING, padding: "x".repeat(MAX_REQUEST_BYTES) }) });
    expect(large.status).toBe(413);
    expect((await post({ headers: { "content-type": "text/plain" } })).status).toBe(415);
    expect((await post({ raw: "{" })).status).toBe(400);
    expect((await call(`${api.url}/mcp`, { bearer: account.owner, headers: ACCEPT })).status).toBe(405);
  });

  it("counts its requests as the account's", async () => {
    const limited = await CoreFixture.start({ ratePerMinute: 2 });
    const other = await openHttpApi(limited);
    const { owner } = await makeAccount(limited);
    const ask = () =>
      call(`${other.url}/mcp`, { method: "POST", bearer: owner, raw: JSON.stringify(PING), headers: ACCEPT });
    const statuses = [(await ask()).status, (await ask()).status];
    const third = await ask();
    await other.close();
    expect(statuses).toEqual([200, 200]);
    expect([third.status, third.body]).toMatchObject([429, { code: "rate_limited" }]);
    expect(third.headers.get("retry-after")).toMatch(/^\d+$/);
  });

  it("answers at once where as many calls of the account wait as may", async () => {
    const asked = { bearer: account.owner, method: "tools/call" };
    const invoke = { name: "invoke_agent", arguments: { agent: "helper", message: "wait", wait_seconds: 0 } };
    const started = await askRaw(api.url, { ...asked, params: invoke });
    const { id } = (started.structuredContent as { run: { id: string } }).run;
    await fixture.until(id, ({ status }) => status === "running");
    const wait = { name: "get_run_result", arguments: { run_id: id, wait_seconds: 45 } };
    const ask = () => askRaw(api.url, { ...asked, params: wait });
    // The clock stands still: whoever is answered before the run has ended has not waited.
    const all = Array.from({ length: MAX_WAITS_OF_ACCOUNT + 1 }, ask);
    const one = await Promise.race(all);
    expect(one.structuredContent).toMatchObject({ next: "get_run_result", run: { status: "running" } });
    await askRaw(api.url, { ...asked, params: { name: "cancel_run", arguments: { run_id: id } } });
    const ended = (await Promise.all(all)).filter(
      ({ structuredContent }) => (structuredContent as { next?: string }).next === undefined,
    );
    expect(ended.length).toBe(MAX_WAITS_OF_ACCOUNT);
  });

  it.each(wires)("stops waiting for a client that has gone, on %s", async (wire) => {
    const client = await openMcpClient(api.url, { bearer: account.owner, wire });
    const args = { agent: "helper", message: "wait", wait_seconds: 0 };
    const started = await client.callTool({ name: "invoke_agent", arguments: args });
    const { id } = (started.structuredContent as { run: { id: string } }).run;
    await fixture.until(id, ({ status }) => status === "running");
    const waiting = client.callTool({ name: "get_run_result", arguments: { run_id: id } });
    await untilTaken(fixture, 1);
    await client.close();
    await expect(waiting).rejects.toThrow();
    await untilTaken(fixture, 0);
    const cancel = { name: "cancel_run", arguments: { run_id: id } };
    await askRaw(api.url, { bearer: account.owner, method: "tools/call", params: cancel });
  });

  it("refuses what an access token is not good for by HTTP, with all the scopes that it needs", async () => {
    const { text: token, hash } = makeSecretToken("svc_at_", fixture.core.random.bytes(32));
    const now = fixture.clock.now();
    await fixture.store.transact((tx) =>
      tx.credentials.insert({
        kind: "access_token",
        id: fixture.core.random.uuid(now),
        hash,
        accountId: account.id,
        personId: account.personId,
        clientId: "https://app.example/client.json",
        scopes: ["agents:read"],
        resource: "http://service.example/mcp",
        grantId: "grant-1",
        createdAt: now,
        lastUsedAt: null,
        expiresAt: now + 3_600_000,
        revokedAt: null,
      }),
    );
    const tool = (name: string, args: object) =>
      post({
        bearer: token,
        raw: JSON.stringify({ ...PING, method: "tools/call", params: { name, arguments: args } }),
      });
    const refused = await tool("invoke_agent", { agent: "helper", message: "go" });
    expect([refused.status, refused.body]).toMatchObject([403, { code: "insufficient_scope" }]);
    expect(refused.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_scope", resource_metadata="http://service.example/.well-known/oauth-protected-resource/mcp", scope="runs:write runs:read"',
    );
    expect((await tool("list_agents", {})).status).toBe(200);
  });

  it("is an AI client with whatever credential: an owner's key schedules nothing by itself", async () => {
    for (const bearer of [account.owner, account.aiClient]) {
      const client = await openMcpClient(api.url, { bearer });
      const made = await client.callTool({
        name: "create_schedule",
        arguments: { agent: "helper", prompt: "later", delay_seconds: 60 },
      });
      expect(made.structuredContent).toMatchObject({ status: "awaiting_confirmation" });
      const { tools } = await client.listTools();
      const owners = tools.filter(({ name }) => /approve|confirm|activate|grant|claim|key/.test(name));
      expect(owners).toEqual([]);
      await client.close();
    }
  });
});

/** With a Host of the test's own, which `fetch` does not send. */
async function statusAtHost(
  url: string,
  { host, bearer }: { readonly host: string; readonly bearer: string },
): Promise<number> {
  const { request } = await import("node:http");
  return await new Promise((resolve, reject) => {
    const headers = { ...ACCEPT, host, authorization: `Bearer ${bearer}` };
    const asked = request(`${url}/mcp`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once("error", reject);
    asked.end(JSON.stringify(PING));
  });
}

/** Resolves once so many requests wait. */
async function untilTaken({ core }: CoreFixture, polls: number): Promise<void> {
  while (core.load.taken.polls !== polls) await new Promise((resolve) => setImmediate(resolve));
}
