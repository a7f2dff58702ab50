// Our MCP server with the tools, resources and prompts that the conformance suite asks for in the place of ours, without
// credentials: the suite sends none. The same checks of Host and Origin, the same handler, the same server.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { systemClock } from "../../../src/base/clock.ts";
import { foreignRequests, mcpHandler } from "../../../src/service/api/mcp/mcp-app.ts";
import { memoryLogger } from "../fixtures/core-fixture.ts";
import { conformanceSurface } from "./conformance-surface.ts";
import { ConformanceTasks } from "./conformance-tasks.ts";

export type ConformanceServer = { readonly url: string; close(): Promise<void> };

export async function startConformanceServer(): Promise<ConformanceServer> {
  const tasks = new ConformanceTasks(systemClock);
  const handler = mcpHandler(memoryLogger([]), () => conformanceSurface(tasks));
  const isForeign = foreignRequests({
    corsOrigins: [],
    baseUrl: "http://localhost",
    webUrl: "http://localhost",
  });
  const server = createServer(
    getRequestListener(async (request) => isForeign(request) ?? (await handler.fetch(request))),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      await handler.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
