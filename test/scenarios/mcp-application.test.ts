// An MCP application that knows an address and nothing else: it finds out how to sign in, registers itself, its person signs
// in and allows it in a browser, and it works with less right than its person. By the protocol's own client, on one process
// with each store, and on two nodes of which each request may reach the other one.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import type { NeedName } from "../../scripts/test-needs.ts";
import { makeTestKey, operateOn } from "../support/account-key.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { Application, allow, signIn } from "../support/mcp/application.ts";
import { call } from "../support/service-client.ts";
import { postgresStore, type StorePlace, sqliteStore } from "../support/stores/stores.ts";
import { WebBrowser } from "../support/web-browser.ts";

type Place = {
  /** The service's own address, which need not be where it listens. */
  readonly baseUrl: string;
  /** Where a request for an address of the service goes. */
  readonly reach: (url: string) => string;
  readonly store: StorePlace;
  close(): Promise<void>;
};

type Deployment = {
  readonly name: string;
  readonly tags: readonly NeedName[];
  open(): Promise<Place>;
};

const deployments: readonly Deployment[] = [
  ...[sqliteStore, postgresStore].map((kind) => ({
    name: `a process on ${kind.name}`,
    tags: kind.tags,
    open: async () => {
      const fixture = await startFixture({ level: "process", store: kind });
      const reach = (url: string) => url;
      return { baseUrl: fixture.url, reach, store: fixture.place, close: () => fixture.close() };
    },
  })),
  {
    name: `two nodes on ${postgresStore.name}`,
    tags: postgresStore.tags,
    open: async () => {
      // Clients send no token over plain http to a host that is not this machine.
      const baseUrl = "http://agents.localhost";
      const nodes = await startFixture({ level: "nodes", settings: { BASE_URL: baseUrl } });
      let asked = 0;
      const reach = (url: string) => {
        asked += 1;
        const node = nodes.apis[asked % nodes.apis.length];
        return url.startsWith(baseUrl) ? `${node?.url}${url.slice(baseUrl.length)}` : url;
      };
      return { baseUrl, reach, store: nodes.place, close: () => nodes.close() };
    },
  },
];

for (const { name, tags, open } of deployments) {
  describe(`an MCP application and ${name}`, { tags: [...tags] }, () => {
    let place: Place | undefined;

    afterEach(() => place?.close());

    it("connects by address alone, and does what it was allowed, until it no longer is", async () => {
      place = await open();
      const { baseUrl, reach, store } = place;
      const key = await makeTestKey(store, { owner: { plan: "subscribed" } });
      await operateOn(store, (operator) => operator.grant({ accountId: key.accountId, credits: 100_000 }));
      const application = new Application();
      const transport = () =>
        new StreamableHTTPClientTransport(new URL("/mcp", baseUrl), {
          authProvider: application,
          fetch: (url, init) => fetch(reach(String(url)), init),
        });
      const connecting = transport();
      const first = new Client({ name: "notebook", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await expect(first.connect(connecting)).rejects.toThrow(/Unauthorized/i);
      const allowed = await allow(new WebBrowser(reach), {
        page: application.page,
        baseUrl,
        key: key.secret,
      });
      await connecting.finishAuth(allowed.searchParams);

      const client = new Client({ name: "notebook", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(transport());
      const use = async (tool: string, args: Record<string, unknown> = {}) =>
        (await client.callTool({ name: tool, arguments: args })).structuredContent as Record<string, never>;
      await use("create_agent", { name: "helper" });
      const invoked = await use("invoke_agent", { agent: "helper", message: "hello", wait_seconds: 30 });
      expect(invoked).toMatchObject({ run: { status: "completed" } });
      const scheduled = await use("create_schedule", {
        agent: "helper",
        prompt: "later",
        delay_seconds: 3_600,
      });
      expect(scheduled).toMatchObject({ status: "awaiting_confirmation" });
      const { access_token: token = "" } = (application.tokens() ?? {}) as { access_token?: string };
      const path = `${baseUrl}/v1/agents/${scheduled.agent_id}/schedules/${scheduled.id}/confirm`;
      expect((await call(reach(path), { method: "POST", bearer: token })).status).toBe(403);
      expect((await call(reach(path), { method: "POST", bearer: key.secret })).status).toBe(200);
      expect(await use("list_schedules", { agent: "helper" })).toMatchObject({
        schedules: [{ id: scheduled.id, status: "pending" }],
      });

      await revoke(new WebBrowser(reach), { baseUrl, key: key.secret });
      expect((await call(reach(`${baseUrl}/v1/agents`), { bearer: token })).status).toBe(401);
      await client.close();
    });
  });
}

async function revoke(
  browser: WebBrowser,
  { baseUrl, key }: { baseUrl: string; key: string },
): Promise<void> {
  await signIn(browser, { baseUrl, key });
  const { text } = await browser.get(`${baseUrl}/settings/apps`);
  const action = /<form method="post" action="(\/settings\/apps[^"]*)"/.exec(text)?.[1] ?? "";
  const id = /name="(\w+)" value="([^"]+)"/.exec(text.slice(text.indexOf(action))) ?? [];
  const ended = await browser.post(baseUrl + action, { [id[1] ?? ""]: id[2] ?? "" });
  expect(ended.status).toBe(303);
}
