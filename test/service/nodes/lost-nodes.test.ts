// Nodes that are killed and connections that break: nothing acknowledged is lost, nothing happens twice, and the books
// stay in order.

import { afterEach, describe, expect, it } from "vitest";
import { isTerminal } from "../../../src/contract/runs/run.ts";
import type { NodesFixture } from "../../support/fixtures/nodes-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import type { CiJob } from "../../support/service-job.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { testDatabaseUrl } from "../../support/stores/postgres-schema.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { LOAD_RUNS, RunLoad } from "./run-load.ts";

/** Longer than a busy machine keeps a node from a core: only the killed one is to be missed. */
const STALLED_SECONDS = 8;

describe("lost nodes", { tags: ["postgres"], timeout: 120_000 }, () => {
  let nodes: NodesFixture;

  afterEach(async () => {
    await expectSoundLedger(nodes.place);
    await nodes.close();
  });

  /** A load of which a part has ended and a part is at work. */
  const begunLoad = async (): Promise<RunLoad> => {
    const [job] = await nodes.jobs();
    const load = new RunLoad(nodes, job);
    await load.begun();
    return load;
  };

  it("end the runs of a killed worker as stalled, refunded, and no other's", async () => {
    nodes = await startFixture({ level: "nodes", stalledSeconds: STALLED_SECONDS });
    const [job] = await nodes.jobs();
    const runIds = await Promise.all(Array.from({ length: 20 }, () => job.start("wait")));
    for (const runId of runIds)
      await job.readUntil(runId, ({ event }) => event.type === "TEXT_MESSAGE_START");
    await nodes.workers[0]?.process.kill();
    const [one] = await Promise.race(runIds.map(async (runId) => [await job.ended(runId)]));
    expect(one).toMatchObject({ status: "failed", cause: "stalled", retryable: true, credits: 0 });
    // The other worker's runs still are at work: only a cancel ends them.
    const unfinished = await nodes.place.query("select id from runs where status = 'running'");
    for (const { id } of unfinished) await job.cancel(String(id));
    const runs = await Promise.all(runIds.map((runId) => job.ended(runId)));
    for (const runId of runIds) await expectValidStream(await job.follow(runId));
    const endings = runs.map((run) => ("cause" in run ? run.cause : run.status));
    expect(new Set(endings)).toEqual(new Set(["stalled", "user_stop"]));
  });

  it(`lose and double nothing when a worker is killed in the middle of ${LOAD_RUNS} runs`, async () => {
    nodes = await startFixture({ level: "nodes", stalledSeconds: STALLED_SECONDS });
    const [doomed] = nodes.workers;
    const load = await begunLoad();
    await doomed?.process.kill();
    const runs = await load.settle();
    const failed = runs.filter(({ status }) => status === "failed");
    // No more than it had slots for.
    expect(failed.length).toBeLessThanOrEqual(16);
    for (const run of failed) expect(run).toMatchObject({ cause: "stalled", retryable: true, credits: 0 });
  });

  it(`lose and double nothing when an API node is killed in the middle of ${LOAD_RUNS} runs`, async () => {
    nodes = await startFixture({ level: "nodes", stalledSeconds: STALLED_SECONDS });
    const [doomed] = nodes.apis;
    const load = await begunLoad();
    if (doomed !== undefined) await nodes.startAgain(doomed);
    const runs = await load.settle();
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["completed"]));
  });

  it(`go on when every connection to the database is ended in the middle of ${LOAD_RUNS} runs`, async () => {
    nodes = await startFixture({ level: "nodes", stalledSeconds: STALLED_SECONDS });
    const load = await begunLoad();
    expect(await nodes.loseConnections()).toBeGreaterThan(4);
    await load.acknowledged(LOAD_RUNS * 0.8);
    await nodes.loseConnections();
    await load.settle();
    for (const { url } of nodes.all) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it("wait for a database that is away, say so, and go on when it is back", async () => {
    const proxy = await TcpProxy.start(new URL(testDatabaseUrl ?? ""));
    nodes = await startFixture({
      level: "nodes",
      stalledSeconds: STALLED_SECONDS,
      through: (url) => proxy.standBefore(url),
    });
    const [first, second] = await nodes.jobs();
    const before = await first.start("wait");
    await first.readUntil(before, ({ event }) => event.type === "TEXT_MESSAGE_START");
    proxy.cut();
    for (const { url } of nodes.apis) expect((await fetch(`${url}/readyz`)).status).toBe(503);
    const submitting = submitAgainAndAgain(second, "meanwhile");
    proxy.mend();
    await expectAllEnded(first, [await submitting]);
    // A run that was at work meanwhile still is: its heartbeat only stood still because the database was away.
    expect((await second.run(before)).status).toBe("running");
    await second.cancel(before);
    await expectAllEnded(first, [before]);
    proxy.close();
  });
});

/** As a client with an idempotency key does, whatever breaks meanwhile. */
async function submitAgainAndAgain(job: CiJob, key: string): Promise<string> {
  for (;;) {
    const answer = await job.submit({ message: "load" }, { "idempotency-key": key });
    if (answer.status === 202) return String((answer.body as { run_id: unknown }).run_id);
    expect([409, 500, 503], answer.text).toContain(answer.status);
  }
}

async function expectAllEnded(job: CiJob, runIds: readonly string[]): Promise<void> {
  expect(runIds.length).toBeGreaterThan(0);
  await Promise.all(
    runIds.map(async (runId) => {
      await expectValidStream(await job.follow(runId));
      expect(isTerminal((await job.run(runId)).status)).toBe(true);
    }),
  );
}
