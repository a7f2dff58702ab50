// An MCP server as a program: on its standard input and output. Its first argument says how it behaves.

import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { fakeServer } from "./tools.ts";

const [behaviour = "well"] = process.argv.slice(2);

const facts = {
  secret: process.env.FAKE_TOKEN ?? "none",
  lookAround: () => `${process.cwd()}: ${readdirSync(".").sort().join(" ")}`,
  crash: () => {
    process.stderr.write(`it was too much for ${process.env.FAKE_TOKEN ?? "me"}\n`);
    process.exit(7);
  },
};

switch (behaviour) {
  case "well":
    process.stdout.write("Welcome to the fake server!\n");
    serveStdio(() => fakeServer(facts));
    break;
  case "modern":
    serveStdio(() => fakeServer(facts), { legacy: "reject" });
    break;
  /** As servers of 2025 that end at a question before `initialize`. */
  case "fragile":
    fragile();
    break;
  case "silent":
    setInterval(() => undefined, 1_000);
    break;
  case "garbage":
    for (let line = 0; line < 5_000; line += 1)
      process.stdout.write(`nothing that anybody understands ${line}\n`);
    setInterval(() => undefined, 1_000);
    break;
  case "endless":
    process.stdout.write("x".repeat(20 * 1024 * 1024));
    setInterval(() => undefined, 1_000);
    break;
  default:
    process.stderr.write(`unknown behaviour ${behaviour}\n`);
    process.exit(2);
}

function fragile(): void {
  const answer = (id: unknown, result: unknown) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  let isReady = false;
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") {
      isReady = true;
      const { protocolVersion } = params;
      answer(id, {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "fragile", version: "1" },
      });
    } else if (!isReady) process.exit(1);
    else if (method === "tools/list")
      answer(id, { tools: [{ name: "ping", inputSchema: { type: "object" } }] });
    else if (method === "tools/call") answer(id, { content: [{ type: "text", text: "pong" }] });
  });
}
