// The built client on a Node without a WebSocket of its own, as before version 22.

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";

const CLIENT = pathToFileURL(join(import.meta.dirname, "../../npm/client.mjs")).href;
const PROGRAM = `
import { createClient } from "${CLIENT}";
if (globalThis.WebSocket !== undefined) throw new Error("This Node has a WebSocket.");
const client = createClient({ baseUrl: process.env.URL, credential: process.env.KEY });
const agent = await client.agents.create({ body: { name: "helper" } });
const { sessionId } = await client.runs.submit({ agentId: agent.id, body: { message: "Say hello." } });
for await (const item of client.sessions.follow({ sessionId })) {
  if (item.type === "event") console.log(item.event.type);
  if (item.type === "run" && item.run.status === "completed") break;
}
`;

it("follows a session", async () => {
  const folder = await mkdtemp(join(tmpdir(), "node-web-socket-"));
  const service = new ServiceProcess(["serve", "--port", "0", "--data-dir", folder]);
  try {
    const url = await service.ready();
    const made = await runCommand(["keys", "create", "--json", "--data-dir", folder]);
    const env = { PATH: process.env.PATH, URL: url, KEY: JSON.parse(made.stdout).secret };
    const args = ["--no-experimental-websocket", "--input-type=module", "--eval", PROGRAM];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    const types = stdout.trim().split("\n");
    expect([types[0], types.at(-1)]).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
  } finally {
    service.signal("SIGTERM");
    await service.ended;
    await rm(folder, { recursive: true, force: true });
  }
});
