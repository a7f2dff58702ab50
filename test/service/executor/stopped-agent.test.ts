// A run whose agent does not stop when it is told to, and goes on writing: the run ends soon, the agent in its own
// time, and what it wrote goes with it.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gitCheckouts } from "../../../src/service/checkouts/git-checkouts.ts";
import type { Backend } from "../../../src/service/executor/backend.ts";
import { acpBackend } from "../../../src/service/executor/backends/acp/acp.ts";
import { defaultRates } from "../../../src/service/settings/default-rates.ts";
import type { AgentScript } from "../../support/acp-agent.ts";
import { closeFixtures, type Heard, isAlive, makeHomes } from "../../support/fixtures/acp-fixture.ts";
import type { CoreFixture, CoreFixtureOptions } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { ACP_AGENT } from "../../support/run/acp-agent-setup.ts";
import { makeAccount } from "../../support/service-account.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { sqliteStore } from "../../support/stores/stores.ts";

const limits = {
  maxBytes: 1e9,
  maxCheckoutBytes: 1e9,
  cloneTimeoutMs: 60_000,
  maxUnfoldedBytes: 1e10,
  maxCpuSeconds: 60,
  historyDepth: 1,
};

const CHANGES_WAIT_MS = 500;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stopped-agent-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await closeFixtures();
});

/** An agent that hears neither a cancel nor SIGTERM, and writes as long as it lives. */
async function deafAgent(stopGraceMs: number): Promise<Backend> {
  const content = { type: "text", text: "I write." };
  const script: AgentScript = {
    isDeaf: true,
    turn: [
      { do: "scribble", folder: "$CWD/scribbles" },
      { do: "update", update: { sessionUpdate: "agent_message_chunk", content } },
      { do: "hang" },
    ],
  };
  await writeFile(join(folder, "script.json"), JSON.stringify(script));
  return acpBackend({
    title: "node",
    command: [process.execPath, ACP_AGENT],
    path: process.env.PATH ?? "",
    authMethod: null,
    mode: null,
    homeFiles: {},
    asksForFiles: true,
    answersWithErrors: false,
    permissions: "allow",
    startTimeoutMs: 60_000,
    keepEveryMs: 30_000,
    idleTimeoutMs: 60_000,
    stopGraceMs,
    confine: null,
    homes: await makeHomes(),
    secrets: [],
    model: null,
    rates: defaultRates,
    relayPort: null,
    places: null,
    openServers: null,
    gateway: { port: null, node: process.execPath },
    environment: { ACP_SCRIPT: join(folder, "script.json"), ACP_HEARD: join(folder, "heard") },
  });
}

async function startRun(options: CoreFixtureOptions): Promise<{ fixture: CoreFixture; runId: string }> {
  const checkouts = gitCheckouts({ folder: join(folder, "checkouts"), limits, environment: process.env });
  const fixture = await startFixture({ level: "core", ...options, checkouts });
  fixture.executor.start();
  const { id: accountId, agent } = await makeAccount(fixture);
  const caller = { kind: "account", accountId, callerClass: "owner", personId: null, role: "owner" } as const;
  const submission = { caller, agentId: agent.id, body: { message: "go" }, idempotencyKey: null };
  const submitted = await fixture.submitter.submit(submission);
  if (!submitted.ok) throw new Error(submitted.refusal.reason);
  const { runId } = submitted.value;
  await fixture.until(runId, ({ lastSeq }) => lastSeq >= 3);
  return { fixture, runId };
}

async function cancel(fixture: CoreFixture, runId: string): Promise<void> {
  await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
  fixture.dispatch.nudge(runId);
}

/** The run waits for its agent's changes by the clock, which only this moves, and by no more than that. */
async function endsWithin(fixture: CoreFixture, runId: string): Promise<void> {
  const status = async () => {
    fixture.clock.advance(CHANGES_WAIT_MS);
    return (await fixture.store.committed.runs.find(runId))?.status;
  };
  await expect.poll(status).toBe("cancelled");
}

async function heard(what: string): Promise<unknown> {
  const lines = (await readFile(join(folder, "heard"), "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Heard).find((line) => line.what === what)?.value;
}

it("an agent that does not stop holds up neither the end of its run nor the next one, and leaves nothing", async () => {
  const { fixture, runId } = await startRun({
    store: sqliteStore,
    backend: await deafAgent(1_500),
    slots: 1,
  });
  const { pid } = (await heard("started")) as { pid: number };
  const child = await heard("scribbles");
  await cancel(fixture, runId);
  await endsWithin(fixture, runId);
  await expectValidStream(await fixture.stream(runId));
  // It is in its grace period, and where it works is still there.
  expect(await isAlive(pid)).toBe(true);
  expect(await readdir(join(folder, "checkouts"))).toHaveLength(1);
  // The one worker is free: a second run begins while the first one's agent still lives.
  const second = await fixture.submit();
  await fixture.until(second, ({ status }) => status !== "queued");
  expect(await isAlive(pid)).toBe(true);

  await cancel(fixture, second);
  await endsWithin(fixture, second);
  await fixture.executor.drain(0);
  expect(await readdir(join(folder, "checkouts"))).toEqual([]);
  expect([await isAlive(pid), await isAlive(child)]).toEqual([false, false]);
  expect(fixture.logs.filter((line) => /^(warn|error)/.test(line))).toEqual([]);
  await fixture.close();
});
