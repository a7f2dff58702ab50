// The protocol of the gateway, by the library of its makers: a bundle of its own, loaded where a run of a coding agent has MCP servers.

import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { GatewayCalls } from "./gateway-calls.ts";
import { GATEWAY_NAME } from "./gateway-name.ts";

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

type GatewayProtocol = {
  /** Answers a request by streamable HTTP. */
  readonly listen: ReturnType<typeof getRequestListener>;
  /** Speaks as by standard input and output, until the connection ends. */
  attach(connection: Duplex): { close(): Promise<void> };
};

export function gatewayProtocol(calls: GatewayCalls): GatewayProtocol {
  const make = () => gatewayServer(calls);
  const handler = createMcpHandler(make, { maxRequestBodySize: MAX_MESSAGE_BYTES });
  return {
    listen: getRequestListener((request) => handler.fetch(request)),
    attach: (connection) => {
      const transport = new StdioServerTransport(connection, connection, {
        maxBufferSize: MAX_MESSAGE_BYTES,
      });
      return serveStdio(make, { transport });
    },
  };
}

function gatewayServer(calls: GatewayCalls): Server {
  const server = new Server({ name: GATEWAY_NAME, version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({
    tools: calls.tools.map(({ name, description, jsonSchema, access }) => ({
      name,
      description,
      inputSchema: { ...jsonSchema, type: "object" as const },
      annotations: { readOnlyHint: access === "read" },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: input = {} } }, { mcpReq }) => {
    const answer = await calls.call(name, input, mcpReq.signal);
    if (answer === null) {
      const offered = calls.tools.map((tool) => tool.name).join(", ");
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool named ${name.slice(0, 100)}. The tools are: ${offered}.`,
      );
    }
    const images = answer.images.map(({ mediaType: mimeType, base64: data }) => ({
      type: "image" as const,
      mimeType,
      data,
    }));
    return { content: [{ type: "text" as const, text: answer.text }, ...images], isError: answer.isError };
  });
  return server;
}
