// The fake MCP server for tests: as one file that a sandbox can show, and as what answers requests by HTTP.

import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { build } from "esbuild";
import { fakeServer, type ServerFacts } from "./tools.ts";

/** Writes the program, all in one file, and returns its path. */
export async function writeServerProgram(folder: string): Promise<string> {
  const outfile = join(folder, "fake-mcp-server.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "program.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  return outfile;
}

/** Answers requests of the protocol. `authorizations` collects what was in that header. */
export function answersMcp(
  authorizations: (string | undefined)[] = [],
  more: Pick<ServerFacts, "noteDown"> = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  const facts = { secret: "none", lookAround: () => "nothing to see", crash: () => undefined, ...more };
  const handler = createMcpHandler(() => fakeServer(facts));
  const listen = getRequestListener((request) => handler.fetch(request));
  return (request, response) => {
    authorizations.push(request.headers.authorization);
    void listen(request, response);
  };
}
