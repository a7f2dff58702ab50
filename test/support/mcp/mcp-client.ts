// An MCP client of the library's makers, on one of the two wires that the endpoint serves.

import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

import { call } from "../service-client.ts";

/** The revisions that clients speak: the newest one, and the older one with a handshake. */
export const wires = ["2026-07-28", "2025-11-25"] as const;
export type Wire = (typeof wires)[number];

export type McpClientOptions = {
  readonly bearer?: string;
  readonly wire?: Wire;
  readonly capabilities?: ClientCapabilities;
  /** The path, with its parameters. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Connected. Whoever opened it closes it. */
export async function openMcpClient(url: string, options: McpClientOptions = {}): Promise<Client> {
  const { bearer, wire = "2026-07-28", capabilities = {}, path = "/mcp" } = options;
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities,
      versionNegotiation: { mode: wire === "2026-07-28" ? { pin: wire } : "legacy" },
    },
  );
  const headers: Record<string, string> = { ...options.headers };
  if (bearer !== undefined) headers.Authorization = `Bearer ${bearer}`;
  await client.connect(new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } }));
  return client;
}

/** The first block of a result: the service's own words. */
export function textOf({ content }: CallToolResult): string {
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}

/** What a result says to programs: its structured content, or the API's error body, which a refusal has as its second text. */
export function bodyOf({ content, structuredContent }: CallToolResult): Record<string, unknown> {
  const last = content.at(1);
  const refusal = structuredContent === undefined && last?.type === "text" ? JSON.parse(last.text) : {};
  return (structuredContent as Record<string, unknown> | undefined) ?? refusal;
}

export type RawAsk = {
  readonly bearer: string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly capabilities?: ClientCapabilities;
};

/** One request of 2026-07-28 as it is on the wire. Its result, or the error with the HTTP status. */
export async function askRaw(
  url: string,
  { bearer, method, params = {}, capabilities = {} }: RawAsk,
): Promise<Record<string, unknown>> {
  const { name, taskId, uri } = params;
  const answer = await call(new URL("/mcp", url).href, {
    method: "POST",
    bearer,
    json: {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": capabilities,
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        },
      },
    },
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": String(name ?? taskId ?? uri ?? ""),
    },
  });
  const { result, error } = answer.body as Record<string, Record<string, unknown>>;
  return result ?? { status: answer.status, error };
}

/** The extension of tasks, as a client declares it. */
export const takesTasks: ClientCapabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
