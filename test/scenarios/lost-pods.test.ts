// A run whose worker is killed, whose pod is evicted and whose cluster's API server goes away, one after the other, while commands are
// executed in its pod: the built Action, the built service, and the fake cluster, whose pods are bubblewrap.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../fakes/kubernetes/cluster.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { expectNothingKept } from "../support/durable/expect-played.ts";
import { ActionFixture, deployments } from "../support/fixtures/action-fixture.ts";
import { replyOf } from "../support/fixtures/scenario-fixture.ts";

const AWAY_MS = 2_500;

for (const { store, roles } of deployments) {
  describe(`commands in pods of a service on ${store.name}`, { tags: [...store.tags, "sandbox"] }, () => {
    let cluster: FakeCluster;
    let fixture: ActionFixture;
    beforeEach(async () => {
      cluster = await FakeCluster.start({ pods: "bubblewrap" });
      fixture = await ActionFixture.start({ store, roles, settings: cluster.environment });
    });
    afterEach(async () => {
      await fixture.close();
      await cluster.close();
    });

    const textOf = ({ toolResults }: ModelRequest) => toolResults.map(({ text }) => text).join("\n");
    /** The claim whose pod executes the command that leaves this file. */
    const claimAt = async (file: string): Promise<string> => {
      for (;;) {
        for (const { metadata } of cluster.claims.values) {
          const pod = [...cluster.pods.values()].find(({ folder }) => existsSync(join(folder, "tree", file)));
          if (pod !== undefined) return metadata.name;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    it("go on after the loss of the worker, of the pod and of the API server", {
      timeout: 180_000,
    }, async () => {
      let losses = 0;
      let worker: string | null = null;
      const wait = (loss: number) => `touch begun-${loss}; while true; do sleep 0.1; done`;
      fixture.step = (request) => {
        worker = request.apiKey;
        if (request.assistantTurns === 0)
          return call("write_file", { path: "edited.txt", content: "by a tool\n" });
        if (losses < 2) return call("run_command", { command: wait(losses) });
        return textOf(request).includes("it goes on")
          ? say("Done.")
          : call("run_command", {
              command: `cat edited.txt; touch begun-2; sleep ${(2 * AWAY_MS) / 1000}; echo it goes on`,
            });
      };
      const running = fixture.main(await fixture.job(), { inputs: { prompt: "Try it." } });
      await claimAt("begun-0");
      losses = 1;
      await fixture.killWorker(worker);
      const second = await claimAt("begun-1");
      losses = 2;
      await cluster.evict(second);
      await claimAt("begun-2");
      cluster.goAway();
      await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
      cluster.comeBack();
      const { main } = await running;
      expect(main).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
      expect(await replyOf(main)).toBe("Done.");
      expect(JSON.parse(main.outputs["changed-files"] ?? "[]")).toContain("edited.txt");
      await fixture.restore();
      await cluster.settled();
      // One pod a run: those of the lost workers are gone, too.
      expect(cluster.claims.values).toEqual([]);
      await expectNothingKept(fixture);
    });
  });
}
