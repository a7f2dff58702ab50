// Two API nodes and two workers on one PostgreSQL: what one does, the others know at once. Nothing here is found by
// looking from time to time: heartbeats are 10 s apart, longer than a test may take.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NodesFixture } from "../../support/fixtures/nodes-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { amount } from "../../support/run/long.ts";
import type { CiJob } from "../../support/service-job.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream } from "../../support/service-streams.ts";

describe("nodes", { tags: ["postgres"] }, () => {
  let nodes: NodesFixture;
  let first: CiJob;
  let second: CiJob;

  beforeAll(async () => {
    nodes = await startFixture({ level: "nodes" });
    [first, second] = await nodes.jobs();
  }, 30_000);

  afterAll(async () => {
    await expectSoundLedger(nodes.place);
    await nodes.close();
  });

  it("wakes a poll on one node when another node's worker appends", { timeout: 8_000 }, async () => {
    const runId = await first.start("hello");
    const seen = await Promise.all([first.follow(runId), second.follow(runId)]);
    expect(seen[0]).toEqual(seen[1]);
    await expectValidStream(seen[0]);
    expect((await second.run(runId)).status).toBe("completed");
  });

  it("cancels through one node what another submitted and a third carries out", {
    timeout: 8_000,
  }, async () => {
    const runId = await first.start("wait");
    await first.readUntil(runId, ({ event }) => event.type === "TEXT_MESSAGE_START");
    expect((await second.cancel(runId)).status).toBe(202);
    await expectValidStream(await first.follow(runId));
    expect((await first.run(runId)).status).toBe("cancelled");
  });

  it("carries each run out once, under load", { timeout: 60_000 }, async () => {
    const runIds = await Promise.all(
      Array.from({ length: amount({ short: 60, long: 200 }) }, (_, index) =>
        (index % 2 === 0 ? first : second).start("load"),
      ),
    );
    await Promise.all(
      runIds.map(async (runId, index) => {
        await expectValidStream(await (index % 2 === 0 ? second : first).follow(runId));
      }),
    );
    const rows = await nodes.place.query("select distinct fence from runs");
    expect(rows.map(({ fence }) => Number(fence))).toEqual([1]);
  });

  it("answers probes and nothing else on a worker", async () => {
    const url = nodes.workers[0]?.url;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/v1/ci/oidc/audience`)).status).toBe(404);
  });
});
