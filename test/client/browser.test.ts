// The built client in a page: bundled as an application's own scripts are, served from another origin, opened in Chromium.

import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, type TestBrowser } from "../support/browser/open-browser.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";

const PROJECT = join(import.meta.dirname, "../..");

/** What the page does with the service; its result is an attribute of the document. */
const SCRIPT = `
import { ApiError, createClient } from "agent-service/client";
const { url, key } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const client = createClient({ baseUrl: url, credential: key });
const agent = await client.agents.create({ body: { name: "helper" } });
const first = await client.runs.submit({ agentId: agent.id, body: { message: "Say hello." } });
const followed = [];
for await (const { event } of client.runs.follow({ runId: first.runId })) followed.push(event.type);
const { sessionId } = first;
const second = await client.runs.submit({ agentId: agent.id, body: { message: "And again.", session_id: sessionId } });
const told = [];
for await (const item of client.sessions.follow({ sessionId })) {
  if (item.type === "event" && item.runId === second.runId) told.push(item.event.type);
  if (item.type === "run" && item.run.id === second.runId && item.run.status === "completed") break;
}
const refused = await createClient({ baseUrl: url, credential: "svc_sk_wrong" }).agents.list({})
  .then(() => "nothing", (error) => (error instanceof ApiError ? error.code : String(error)));
document.documentElement.dataset.result = JSON.stringify({ followed, told, refused });
`;

async function servePage(script: string): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    const page = '<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,">';
    response.end(isScript ? script : `${page}<script type="module" src="/page.js"></script>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { server, url: `http://127.0.0.1:${port}` };
}

describe("the client in a page", { tags: ["chromium"] }, () => {
  let folder: string;
  let page: { server: Server; url: string };
  let service: ServiceProcess;
  let browser: TestBrowser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "client-page-"));
    await mkdir(join(folder, "node_modules"));
    await symlink(PROJECT, join(folder, "node_modules/agent-service"), "junction");
    const { outputFiles } = await build({
      stdin: { contents: SCRIPT, resolveDir: folder },
      bundle: true,
      format: "esm",
      platform: "browser",
      logLevel: "silent",
      write: false,
    });
    page = await servePage(outputFiles[0]?.text ?? "");
    const data = join(folder, "data");
    service = new ServiceProcess(["serve", "--port", "0", "--data-dir", data], { CORS_ORIGINS: page.url });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    page?.server.close();
    service?.signal("SIGTERM");
    await service?.ended;
    await rm(folder, { recursive: true, force: true });
  });

  it("submits runs, follows one by polls and a session by the page's own WebSocket, and reads refusals", async () => {
    const url = await service.ready();
    const made = await runCommand(["keys", "create", "--json", "--data-dir", join(folder, "data")]);
    const hash = new URLSearchParams({ url, key: JSON.parse(made.stdout).secret });
    const shown = await browser.openPage();
    await shown.goto(`${page.url}/#${hash}`);
    await shown.waitForSelector("html[data-result]", { state: "attached" });
    const result = JSON.parse(await shown.evaluate("document.documentElement.dataset.result"));
    for (const types of [result.followed, result.told])
      expect([types[0], types.at(-1)]).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
    expect(result.refused).toBe("unauthorized");
    expect(browser.faults).toEqual([]);
  });
});
