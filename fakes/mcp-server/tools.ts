// A real MCP server with tools that behave well and badly, for both revisions of the protocol.

import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

export type ServerFacts = {
  /** What the tool `whoami` returns: a secret that the server was given. */
  readonly secret: string;
  /** What the tool `look_around` returns. */
  readonly lookAround: () => string;
  /** Ends the server, where it is a program. */
  readonly crash: () => void;
  /** Told each word that `note.down` is called with, before it answers. It changes something: a call is never made twice. */
  readonly noteDown?: (word: string) => Promise<void>;
};

/** What the tool `picture` shows: a PNG of one pixel. */
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

const WORD = z.object({ word: z.string() });
const NOTHING = z.object({});
const COLOUR = z.object({ colour: z.enum(["red", "blue"]) });
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

export function fakeServer({ secret, lookAround, crash, noteDown }: ServerFacts): McpServer {
  const server = new McpServer({ name: "fake", version: "1.0.0" });
  const reads = { annotations: { readOnlyHint: true } };
  server.registerTool(
    "lookup",
    { ...reads, description: "Looks a word up.", inputSchema: WORD },
    async ({ word }) => text(`${word} means ${word.toUpperCase()}`),
  );
  server.registerTool("note.down", { description: "Writes.", inputSchema: WORD }, async ({ word }) => {
    await noteDown?.(word);
    return text(`noted ${word}`);
  });
  server.registerTool("paint", { ...reads, inputSchema: WORD }, async ({ word }, { mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "colour", COLOUR);
    if (given !== undefined) return text(`${word} is ${given.colour}`);
    if (mcpReq.inputResponses?.colour !== undefined) return text(`${word} has no colour`);
    const asked = { message: `Which colour has ${word}?`, requestedSchema: COLOUR };
    return inputRequired({ inputRequests: { colour: inputRequired.elicit(asked) } });
  });
  server.registerTool("whoami", { ...reads, inputSchema: NOTHING }, async () =>
    text(`the token is ${secret}`),
  );
  server.registerTool("look_around", { ...reads, inputSchema: NOTHING }, async () => text(lookAround()));
  server.registerTool("fail", { ...reads, inputSchema: NOTHING }, async () => ({
    ...text("no such issue"),
    isError: true,
  }));
  server.registerTool(
    "measure",
    { ...reads, inputSchema: NOTHING, outputSchema: z.object({ ms: z.number() }) },
    async () => ({ content: [], structuredContent: { ms: 12 } }),
  );
  server.registerTool("picture", { ...reads, inputSchema: NOTHING }, async () => ({
    content: [
      { type: "image" as const, data: PICTURE, mimeType: "image/png" },
      { type: "image" as const, data: "aGVsbG8=", mimeType: "image/png" },
      { type: "resource_link" as const, uri: "file:///plan.txt", name: "plan" },
    ],
  }));
  server.registerTool("flood", { ...reads, inputSchema: NOTHING }, async () =>
    text("x".repeat(12 * 1024 * 1024)),
  );
  server.registerTool("hang", { ...reads, inputSchema: NOTHING }, () => new Promise(() => undefined));
  server.registerTool("crash", { ...reads, inputSchema: NOTHING }, async () => {
    crash();
    return text("gone");
  });
  return server;
}
