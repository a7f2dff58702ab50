// What the first list of tools holds, how large it is, and how a client reaches what it does not hold.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSecretToken } from "../../../../src/base/secret-token.ts";
import type { ApiScope } from "../../../../src/contract/oauth/scopes.ts";
import { toolSets } from "../../../../src/contract/tool-sets.ts";
import { describeTools } from "../../../../src/service/api/mcp/reach-tools.ts";
import { toolsOfSets } from "../../../../src/service/api/mcp/tool-table.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import {
  bodyOf,
  type McpClientOptions,
  openMcpClient,
  textOf,
  wires,
} from "../../../support/mcp/mcp-client.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import { call } from "../../../support/service-client.ts";

const MOST_BYTES = 24_000;
const REACH = ["describe_tools", "call_tool"];

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const namesOf = (...sets: readonly (typeof toolSets)[number][]) =>
  sets.flatMap((set) => toolsOfSets[set].map(({ listing }) => listing.name));

describe("the list of tools", () => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;

  beforeAll(async () => {
    fixture = await CoreFixture.start();
    api = await openHttpApi(fixture);
    account = await makeAccount(fixture, "subscribed");
  });

  afterAll(() => api.close());

  const listed = async (options: McpClientOptions = {}) => {
    const client = await openMcpClient(api.url, { bearer: account.owner, ...options });
    try {
      const { tools } = await client.listTools();
      return { names: tools.map(({ name }) => name), bytes: bytesOf(tools) };
    } finally {
      await client.close();
    }
  };

  const tokenFor = async (scopes: readonly ApiScope[]): Promise<string> => {
    const { text, hash } = makeSecretToken("svc_at_", fixture.core.random.bytes(32));
    const now = fixture.clock.now();
    const id = fixture.core.random.uuid(now);
    await fixture.store.transact((tx) =>
      tx.credentials.insert({
        kind: "access_token",
        id,
        hash,
        accountId: account.id,
        personId: account.personId,
        scopes,
        grantId: `grant-${id}`,
        clientId: "https://app.example/client.json",
        resource: "http://service.example/mcp",
        createdAt: now,
        lastUsedAt: null,
        expiresAt: now + 3_600_000,
        revokedAt: null,
      }),
    );
    return text;
  };

  it.each(wires)(`has at most ${MOST_BYTES} bytes at first, on %s`, async (wire) => {
    const first = await listed({ wire });
    expect(first.names).toEqual([...namesOf("agents"), ...REACH]);
    const workspaces = await listed({ wire, bearer: await tokenFor(["runs:read", "workspaces:read"]) });
    expect(workspaces.names).toEqual([...namesOf("agents", "workspaces"), ...REACH]);
    const sizes = toolSets.map((set) => `${set} ${bytesOf(toolsOfSets[set].map(({ listing }) => listing))}`);
    console.info(`tools/list: ${first.bytes}, for workspaces ${workspaces.bytes} bytes; ${sizes.join(", ")}`);
    expect(first.bytes).toBeLessThanOrEqual(MOST_BYTES);
    expect(workspaces.bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  it("has the sets that the address or the header names, in one order", async () => {
    expect((await listed({ path: "/mcp?sets=workers,%20workspaces" })).names).toEqual([
      ...namesOf("workspaces", "workers"),
      ...REACH,
    ]);
    expect((await listed({ headers: { "X-MCP-Toolsets": "changesets,default" } })).names).toEqual([
      ...namesOf("agents", "changesets"),
      ...REACH,
    ]);
    const all = await listed({ path: "/mcp?sets=all" });
    expect(all.names).toEqual(namesOf(...toolSets));
  });

  it("is refused for a set that is not there, with the nearest name", async () => {
    const answer = await call(`${api.url}/mcp?sets=workspace`, {
      method: "POST",
      bearer: account.owner,
      raw: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    });
    expect([answer.status, answer.body]).toMatchObject([400, { code: "invalid_request" }]);
    expect(JSON.stringify(answer.body)).toContain('Did you mean \\"workspaces\\"?');
  });

  it.each(wires)("does not bound what can be called: by name, or by call_tool, on %s", async (wire) => {
    const client = await openMcpClient(api.url, { bearer: account.owner, wire });
    try {
      const { tools } = await client.listTools();
      for (const set of toolSets) {
        const described = await client.callTool({ name: "describe_tools", arguments: { set } });
        // Some clients show their model the text, some the structured content in its place.
        const { tools } = describeTools.output.parse(described.structuredContent);
        expect(tools.map(({ name }) => name)).toEqual(namesOf(set));
        for (const [at, { listing }] of toolsOfSets[set].entries()) {
          expect(textOf(described)).toContain(JSON.stringify(listing.inputSchema));
          expect(tools[at]).toMatchObject({
            description: listing.description,
            arguments: listing.inputSchema,
          });
        }
      }
      const create = { name: `made-${wire}`, idempotency_key: wire };
      const byName = await client.callTool({ name: "create_workspace", arguments: create });
      const { id: workspace_id } = byName.structuredContent as { id: string };
      const through = await client.callTool({
        name: "call_tool",
        arguments: { name: "list_files", arguments: { workspace_id } },
      });
      expect(through.structuredContent, textOf(through)).toEqual({ entries: [] });
      // The list is no side effect of what was called.
      expect((await client.listTools()).tools).toEqual(tools);
      const inner = await client.callTool({
        name: "call_tool",
        arguments: { name: "list_files", arguments: { workspace: workspace_id } },
      });
      expect([inner.isError, bodyOf(inner).code]).toEqual([true, "invalid_request"]);
      for (const name of ["list_file", "call_tool"]) {
        const unknown = await client.callTool({ name: "call_tool", arguments: { name } });
        expect([unknown.isError, textOf(unknown)]).toEqual([
          true,
          expect.stringContaining("There is no tool"),
        ]);
      }
      await expect(client.callTool({ name: "list_file", arguments: {} })).rejects.toThrow(
        /Did you mean "list_files"/,
      );
    } finally {
      await client.close();
    }
  });

  it("asks a token for the scopes of the tool that is meant", async () => {
    const answer = await call(`${api.url}/mcp`, {
      method: "POST",
      bearer: await tokenFor(["agents:read"]),
      raw: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "call_tool", arguments: { name: "list_workspaces" } },
      }),
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    });
    expect([answer.status, answer.body]).toMatchObject([403, { code: "insufficient_scope" }]);
    expect(answer.headers.get("www-authenticate")).toContain('scope="workspaces:read"');
  });
});
