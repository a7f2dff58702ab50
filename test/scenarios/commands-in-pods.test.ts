// A job whose service executes commands in pods: the built Action, the built service, and the fake cluster, whose pods are bubblewrap. One
// pod is evicted while it executes a command.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FakeCluster } from "../../fakes/kubernetes/cluster.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { expectNothingKept } from "../support/durable/expect-played.ts";
import { ActionFixture } from "../support/fixtures/action-fixture.ts";
import { replyOf } from "../support/fixtures/scenario-fixture.ts";
import { sqliteStore } from "../support/stores/stores.ts";

let cluster: FakeCluster;
let fixture: ActionFixture;
beforeAll(async () => {
  cluster = await FakeCluster.start({ pods: "bubblewrap" });
  fixture = await ActionFixture.start({ store: sqliteStore, roles: ["all"], settings: cluster.environment });
});
afterAll(async () => {
  await fixture.close();
  await cluster.close();
});

const textOf = ({ toolResults }: Pick<ModelRequest, "toolResults">) =>
  toolResults.map(({ text }) => text).join("\n");

it("gives each run a pod, edits and commands work on the same files, and a lost pod costs the run nothing but its turn", {
  tags: ["sandbox"],
}, async () => {
  const seen: string[] = [];
  const [waiting, next] = [
    "echo begun > begun; while [ ! -e go ]; do sleep 0.1; done",
    "ls; cat edited.txt; pwd",
  ];
  fixture.step = (request) => {
    seen.push(textOf(request));
    if (request.assistantTurns === 0)
      return call("write_file", { path: "edited.txt", content: "by a tool\n" });
    if (request.assistantTurns === 1) return call("run_command", { command: waiting });
    if (!textOf(request).includes("/workspace/tree")) return call("run_command", { command: next });
    if (!textOf(request).includes("from the pod"))
      return call("run_command", { command: "echo from the pod > made.txt; cat made.txt" });
    return say("Done.");
  };
  const running = fixture.main(await fixture.job(), { inputs: { prompt: "Try it." } });
  const claim = async () => {
    for (;;) {
      const [found] = cluster.claims.values;
      const pod = [...cluster.pods.values()][0];
      if (found !== undefined && pod !== undefined && existsSync(join(pod.folder, "tree/begun")))
        return found.metadata.name;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await cluster.evict(await claim());
  const { main } = await running;
  expect(main).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
  expect(await replyOf(main)).toBe("Done.");
  expect(seen.at(-1)).toMatch(/README\.md\n[\s\S]*by a tool\n\/workspace\/tree\n[\s\S]*from the pod\n/);
  expect(seen.at(-1)).not.toContain("begun\n");
  await cluster.settled();
  expect(cluster.claims.values).toEqual([]);
  await expectNothingKept(fixture);
});
