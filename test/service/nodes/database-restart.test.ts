// A PostgreSQL that crashes, or is restarted, in the middle of many runs: what was acknowledged is there afterwards,
// nothing happened twice, and whoever was reading reads on.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PostgresCluster } from "../../../scripts/postgres-cluster.ts";
import type { NodesFixture } from "../../support/fixtures/nodes-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { amount } from "../../support/run/long.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { clusterPlace } from "../../support/stores/cluster-place.ts";
import { LOAD_RUNS, RunLoad } from "./run-load.ts";

describe("a restart of the database", { tags: ["postgres-programs"] }, () => {
  let cluster: PostgresCluster;
  let nodes: NodesFixture;

  beforeEach(async () => {
    cluster = await PostgresCluster.start();
    nodes = await startFixture({ level: "nodes", place: clusterPlace(cluster), stalledSeconds: 2 });
  });

  afterEach(() => nodes.close());

  const restarts = [
    ["that is a crash", "immediate"],
    ["that ends every session", "fast"],
  ] as const;

  it.each(restarts.slice(0, amount({ short: 1, long: 2 })))(
    `%s loses and doubles nothing in the middle of ${LOAD_RUNS} runs`,
    async (_name, mode) => {
      const [job] = await nodes.jobs();
      const load = new RunLoad(nodes, job);
      await load.begun();
      await cluster.restart(mode);
      const runs = await load.settle();
      for (const run of runs)
        if (run.status === "failed") expect(run).toMatchObject({ retryable: true, credits: 0 });
      expect(runs.filter(({ status }) => status === "completed").length).toBeGreaterThan(0);
      await expectSoundLedger(nodes.place);
      for (const { url } of nodes.all) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    },
  );
});
