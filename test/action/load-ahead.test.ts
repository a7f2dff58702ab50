// When the Action loads GitHub's client, a file of its own: while the token is exchanged, or never. The event is not read again.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runAction } from "../../fakes/runner/run-action.ts";
import { completedRun, exchangeBody, RUN_ID, SESSION_ID } from "../client/run-fixtures.ts";
import { json } from "../client/scripted-server.ts";
import { jobOf, openMockService } from "./mock-service.ts";

const LOADED = "Loaded octokit.cjs.";
const HOOK = `
const { Module } = require("node:module");
const load = Module._load;
Module._load = function (name, ...rest) {
  const loaded = load.call(this, name, ...rest);
  if (name.endsWith("octokit.cjs")) process.stdout.write(${JSON.stringify(`${LOADED}\n`)});
  return loaded;
};
`;

const AT = "2026-01-15T10:00:00.000Z";
const wholeRun = json(200, {
  run: completedRun,
  events: [
    { type: "RUN_STARTED", threadId: SESSION_ID, runId: RUN_ID },
    { type: "RUN_FINISHED", threadId: SESSION_ID, runId: RUN_ID, outcome: { type: "success" } },
  ].map((event, index) => ({ seq: index + 1, at: AT, event })),
  next: 2,
  done: true,
});

describe("GitHub's client", () => {
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "load-ahead-"));
    await writeFile(join(folder, "hook.cjs"), HOOK);
    await writeFile(join(folder, "event.json"), "{");
    env = {
      NODE_OPTIONS: `--require ${join(folder, "hook.cjs")}`,
      GITHUB_EVENT_PATH: join(folder, "event.json"),
    };
  });
  afterAll(async () => await rm(folder, { recursive: true, force: true }));

  it("is loaded before the exchange is answered, where changes are pushed; whatever the event's file holds", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using service = await openMockService({
      exchange: (request, response) => void promise.then(() => json(200, exchangeBody)(request, response)),
      read: wholeRun,
    });
    const job = await runAction(
      jobOf(service, {
        env,
        inputs: { changes: "pull-request" },
        onLine: (line) => {
          if (line === LOADED) resolve();
        },
      }),
    );
    expect(job).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(job.log.split(LOADED)).toHaveLength(2);
  });

  it("is not loaded by a push that leaves its changes in a file", async () => {
    await using service = await openMockService({ read: wholeRun });
    const job = await runAction(jobOf(service, { env }));
    expect(job).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(job.log).not.toContain(LOADED);
  });

  it.each(["pull_request", "issues"])("is not loaded by %s whose event cannot be read", async (event) => {
    await using service = await openMockService({ read: wholeRun });
    const job = await runAction(jobOf(service, { env: { ...env, GITHUB_EVENT_NAME: event } }));
    expect(job).toMatchObject({ exitCode: 1, outputs: { reason: "event_unreadable" } });
    expect(job.log).not.toContain(LOADED);
    expect(service.calls()).toEqual([]);
  });
});
