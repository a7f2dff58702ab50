// A service as it is started without a setting, and an MCP application that knows it by one of the names of this machine: it
// connects by that name, and what it got is good at the other names. By the protocol's own client.

import { connect, createServer, type Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestKey } from "../support/account-key.ts";
import type { ProcessFixture } from "../support/fixtures/process-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { Application, allow } from "../support/mcp/application.ts";
import { call } from "../support/service-client.ts";
import { sqliteStore } from "../support/stores/stores.ts";
import { WebBrowser } from "../support/web-browser.ts";

const NAMES = ["localhost", "127.0.0.1", "[::1]"] as const;
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

describe("an MCP application that knows a service by a name of this machine", () => {
  let fixture: ProcessFixture;
  let key: string;
  let ipv6: Server | null = null;
  const carried = new Set<Socket>();

  beforeAll(async () => {
    fixture = await startFixture({ level: "process", store: sqliteStore });
    key = (await makeTestKey(fixture.place, { owner: { plan: "subscribed" } })).secret;
    if (hasIpv6) ipv6 = await listenAtIpv6(Number(new URL(fixture.url).port), carried);
  });

  afterAll(async () => {
    for (const socket of carried) socket.destroy();
    ipv6?.close();
    await fixture.close();
  });

  const at = (name: string) => fixture.url.replace("127.0.0.1", name);

  it.each(NAMES.filter((name) => hasIpv6 || name !== "[::1]"))("connects to %s", async (name) => {
    const baseUrl = at(name);
    const application = new Application();
    const open = (url: string) =>
      new StreamableHTTPClientTransport(new URL("/mcp", url), { authProvider: application });
    const connecting = open(baseUrl);
    const first = new Client({ name: "notebook", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await expect(first.connect(connecting)).rejects.toThrow(/Unauthorized/i);
    expect(application.page?.origin).toBe(baseUrl);
    const allowed = await allow(new WebBrowser(), { page: application.page, baseUrl, key });
    expect(allowed.searchParams.get("iss")).toBe(baseUrl);
    await connecting.finishAuth(allowed.searchParams);
    const client = new Client({ name: "notebook", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(open(baseUrl));
    expect((await client.callTool({ name: "list_agents" })).isError).not.toBe(true);
    await client.close();

    const { access_token: bearer = "" } = (application.tokens() ?? {}) as { access_token?: string };
    for (const other of NAMES.filter((one) => hasIpv6 || one !== "[::1]")) {
      expect((await call(`${at(other)}/v1/agents`, { bearer })).status).toBe(200);
      const resource = `${at(other)}/mcp`;
      const form = { grant_type: "refresh_token", client_id: "none", refresh_token: "none", resource };
      const refused = await call(`${baseUrl}/oauth/token`, { method: "POST", form });
      expect((refused.body as { error: string }).error).not.toBe("invalid_target");
    }
  });

  it("names the place of its metadata by the name that it was asked by", async () => {
    for (const path of ["/mcp", "/v1/agents"]) {
      const answer = await call(at("localhost") + path, { method: path === "/mcp" ? "POST" : "GET" });
      expect(answer.headers.get("www-authenticate")).toContain(`resource_metadata="${at("localhost")}/`);
    }
  });
});

/** The service listens at 127.0.0.1 alone. */
async function listenAtIpv6(port: number, carried: Set<Socket>): Promise<Server> {
  const server = createServer((incoming) => {
    const outgoing = connect(port, "127.0.0.1");
    for (const socket of [incoming, outgoing]) {
      carried.add(socket);
      socket.on("error", () => {
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve) => server.listen({ port, host: "::1" }, resolve));
  return server;
}
