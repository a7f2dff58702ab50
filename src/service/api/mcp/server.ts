// One MCP server for one request, by the library's low-level class: a listing is made once, and a tool may answer with a task.
// Why not its other class: docs/decisions/066-an-mcp-request-is-an-ai-client.md

import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Surface } from "./surface.ts";
import { serveTasks, TASKS_EXTENSION } from "./tasks-extension.ts";

/** The time for which a listing holds: for an address and an authorization it changes with a release of the service only. */
const LIST_MS = 3_600_000;

type ServerIdentity = { readonly name: string; readonly version: string; readonly title?: string };

/** Makes a server of what `surface` shows. It answers one request and is thrown away. */
export function createMcpServer(identity: ServerIdentity, surface: Surface): Server {
  const server = new Server(identity, {
    capabilities: {
      tools: {},
      resources: {},
      prompts: {},
      completions: {},
      extensions: { [TASKS_EXTENSION]: {} },
    },
    instructions: surface.instructions,
    cacheHints: {
      // Scopes of a token and a header decide about it, too.
      "tools/list": { ttlMs: LIST_MS, cacheScope: "private" },
      "prompts/list": { ttlMs: LIST_MS, cacheScope: "public" },
      "resources/templates/list": { ttlMs: LIST_MS, cacheScope: "public" },
      "server/discover": { ttlMs: LIST_MS, cacheScope: "public" },
      "resources/list": { ttlMs: 0, cacheScope: "private" },
      "resources/read": { ttlMs: 0, cacheScope: "private" },
    },
  });
  serveTools(server, surface);
  serveResources(server, surface);
  servePrompts(server, surface);
  serveTasks(server, surface.tasks);
  return server;
}

function serveTools(server: Server, surface: Surface): void {
  server.setRequestHandler("tools/list", async () => ({ tools: [...surface.tools] }));
  server.setRequestHandler("tools/call", async ({ params }, context: ServerContext) => {
    const tool = surface.findTool(params.name);
    const outcome = await surface.callTool({ name: tool.name, args: params.arguments ?? {} }, context);
    // The library writes every result as its revision of the protocol has it, a task too.
    const result = outcome as Parameters<Server["projectCallToolResult"]>[0];
    return "resultType" in outcome ? result : server.projectCallToolResult(result, tool.outputSchema);
  });
}

function serveResources(server: Server, surface: Surface): void {
  server.setRequestHandler("resources/list", async () => ({
    resources: [...(await surface.listResources())],
  }));
  server.setRequestHandler("resources/templates/list", async () => ({
    resourceTemplates: [...surface.resourceTemplates],
  }));
  server.setRequestHandler("resources/read", async ({ params }, context) =>
    surface.readResource(params.uri, context),
  );
}

function servePrompts(server: Server, surface: Surface): void {
  server.setRequestHandler("prompts/list", async () => ({ prompts: [...surface.prompts] }));
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    if (!surface.prompts.some(({ name }) => name === params.name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${params.name}.`);
    }
    return await surface.getPrompt({ name: params.name, args: params.arguments ?? {} }, context);
  });
  server.setRequestHandler("completion/complete", async ({ params }) => {
    const values = await surface.complete(params);
    return {
      completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 },
    };
  });
}
