// An MCP client of the library's makers, on one of the two wires that the endpoint serves.

import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

/** The revisions that clients speak: the newest one, and the older one with a handshake. */
export const wires = ["2026-07-28", "2025-11-25"] as const;
export type Wire = (typeof wires)[number];

export type McpClientOptions = {
  readonly bearer?: string;
  readonly wire?: Wire;
  readonly capabilities?: ClientCapabilities;
};

/** Connected. Whoever opened it closes it. */
export async function openMcpClient(url: string, options: McpClientOptions = {}): Promise<Client> {
  const { bearer, wire = "2026-07-28", capabilities = {} } = options;
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities,
      versionNegotiation: { mode: wire === "2026-07-28" ? { pin: wire } : "legacy" },
    },
  );
  const headers: Record<string, string> = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }));
  return client;
}

/** The first block of a result: the service's own words. */
export function textOf({ content }: CallToolResult): string {
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}
