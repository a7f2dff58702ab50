// Many polls that wait on one node, whose machine has no core free: the answers come late, and what is beyond the node's
// limits is refused and says when to come again.

import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ciRunPageSchema } from "../../../src/contract/ci/run-page.ts";
import type { StoredRunEvent } from "../../../src/contract/runs/run-event.ts";
import type { NodesFixture } from "../../support/fixtures/nodes-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import type { CiJob } from "../../support/service-job.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream } from "../../support/service-streams.ts";

const POLLS = 500;
const RUNS = 20;
/** Fewer than arrive at once. */
const MAX_REQUESTS = 100;
/** As many as the cores of a small machine. They end with the test, or by themselves. */
const BUSY = 2;
const BUSY_MS = 240_000;

describe("a node without a free core", { tags: ["postgres"] }, () => {
  let nodes: NodesFixture;
  let busy: ChildProcess[];

  beforeEach(async () => {
    nodes = await startFixture({
      level: "nodes",
      roles: ["api", "api", "worker"],
      settings: { MAX_NODE_REQUESTS: String(MAX_REQUESTS), MAX_RUNNING_RUNS: String(RUNS) },
    });
    busy = [];
  });

  afterEach(async () => {
    for (const process of busy) process.kill("SIGKILL");
    await nodes.close();
  });

  it("answers every poll, late or at a second try, and loses nothing", { timeout: 240_000 }, async () => {
    const [job, other] = await nodes.jobs();
    const runIds: string[] = [];
    for (let index = 0; index < RUNS; index += 1) runIds.push(await job.start("wait"));
    await Promise.all(
      runIds.map((runId) => job.readUntil(runId, ({ event }) => event.type === "TEXT_MESSAGE_START")),
    );
    busy = Array.from({ length: BUSY }, () =>
      spawn(process.execPath, ["-e", `for (const end = Date.now() + ${BUSY_MS}; Date.now() < end; );`]),
    );

    const answers = new Map<number, number>();
    const followed = Array.from({ length: POLLS }, (_, index) =>
      follow(job, { runId: runIds[index % RUNS] ?? "", onAnswer: (status) => count(answers, status) }),
    );
    await expect.poll(() => answers.get(503) ?? 0, { timeout: 120_000 }).toBeGreaterThan(0);
    for (const runId of runIds) expect((await other.cancel(runId)).status).toBe(202);

    const streams = await Promise.all(followed);
    for (const stream of streams.slice(0, RUNS)) await expectValidStream(stream);
    for (const [index, stream] of streams.entries()) expect(stream).toEqual(streams[index % RUNS]);
    expect([...answers.keys()].toSorted()).toEqual([200, 503]);
    for (const { url } of nodes.all) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await expectSoundLedger(nodes.place);
  });
});

/** Reads a run to its end, as a client that comes again when it is told to. */
async function follow(
  job: CiJob,
  { runId, onAnswer }: { runId: string; onAnswer: (status: number) => void },
): Promise<StoredRunEvent[]> {
  const events: StoredRunEvent[] = [];
  for (;;) {
    const answer = await job.read(runId, { after: events.length, wait: 30 });
    onAnswer(answer.status);
    if (answer.status !== 200) {
      expect(answer.body).toMatchObject({ code: "overloaded" });
      const seconds = Number(answer.headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(0);
      await setTimeout(seconds * 1_000);
      continue;
    }
    const page = ciRunPageSchema.parse(answer.body);
    events.push(...page.events);
    if (page.done) return events;
  }
}

function count(counts: Map<number, number>, status: number): void {
  counts.set(status, (counts.get(status) ?? 0) + 1);
}
