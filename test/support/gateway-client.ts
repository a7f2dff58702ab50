// The MCP client of a scripted agent: by the library of the protocol's makers, it connects to the server that its session was given, by
// HTTP or as a program, and calls tools there.

import type { McpServer } from "@agentclientprotocol/sdk";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export type GatewayCall = { readonly name: string; readonly input?: Readonly<Record<string, unknown>> };

export type GatewayUse = {
  readonly calls: readonly GatewayCall[];
  /** `2025` is what most agents speak. Default: what both know. */
  readonly revision?: "2025";
};

export type GatewayAnswers = {
  readonly tools: readonly { readonly name: string; readonly isReadOnly: boolean }[];
  /** In the order of the calls, which are made at once. */
  readonly results: readonly {
    readonly text: string;
    readonly isError: boolean;
    /** In base 64. Absent: there is none. */
    readonly images?: readonly string[];
  }[];
};

export async function connectGateway(server: McpServer, { revision }: Pick<GatewayUse, "revision"> = {}) {
  const client = new Client(
    { name: "scripted", version: "1" },
    { versionNegotiation: { mode: revision === undefined ? "auto" : "legacy" } },
  );
  await client.connect(transportOf(server));
  return client;
}

export async function useGateway(server: McpServer, use: GatewayUse): Promise<GatewayAnswers> {
  const client = await connectGateway(server, use);
  try {
    const { tools } = await client.listTools();
    const results = await Promise.all(use.calls.map((call) => callTool(client, call)));
    return {
      tools: tools.map(({ name, annotations }) => ({ name, isReadOnly: annotations?.readOnlyHint === true })),
      results,
    };
  } finally {
    await client.close();
  }
}

async function callTool(client: Client, { name, input = {} }: GatewayCall) {
  try {
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    const images = content.flatMap((part) => (part.type === "image" ? [part.data] : []));
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { text, isError, ...(images.length === 0 ? {} : { images }) };
  } catch (cause) {
    return { text: String(cause), isError: true };
  }
}

function transportOf(server: McpServer) {
  if ("type" in server && server.type === "http") {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } });
  }
  if (!("command" in server)) throw new Error("The agent was given a server of another kind.");
  const { command, args, env } = server;
  return new StdioClientTransport({
    command,
    args,
    env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
  });
}
