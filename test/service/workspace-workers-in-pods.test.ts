// Workers of a workspace whose commands are executed in pods of the fake cluster, which are bubblewrap: a manager's run starts them, each in
// a copy and a pod of its own. The built service with a scripted model.

import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../fakes/kubernetes/cluster.ts";
import type { FakePod } from "../../fakes/kubernetes/pods.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { call, type Step, say } from "../../fakes/model-server/turn.ts";
import type { Client } from "../../src/client/client.ts";
import type { WorkerView } from "../../src/contract/workspaces/workers/worker.ts";
import { clientOf } from "../support/backup/backup-place.ts";
import { expectNothingKept } from "../support/durable/expect-played.ts";
import { ActionFixture, deployments } from "../support/fixtures/action-fixture.ts";

const NAMES = ["north", "south"] as const;
type Name = (typeof NAMES)[number];
/** Of the accepted files. */
const SHARED = { path: "shared.txt", content: "of everybody\n" };

let cluster: FakeCluster;
let fixture: ActionFixture;
let client: Client;
let workspaceId: string;
/** Of the workers, in the order of their names, once the manager has been told of them. */
let runIds: readonly string[];

/** The manager starts one worker for each name, waits for them, and proposes what they saved. */
function manage(names: readonly Name[], { assistantTurns, toolResults }: ModelRequest): Step {
  const said = toolResults.map(({ text }) => text).join("\n");
  const ids = (what: RegExp) => [...said.matchAll(what)].map(([, id = ""]) => id);
  runIds = ids(/\[run ([\w-]+)\]/g);
  switch (assistantTurns) {
    case 0:
      return names.map((name) => call("start_worker", { task: taskOf(name) }));
    case 1:
      return call("await_workers", { worker_ids: ids(/Worker ([\w-]{36}) works/g) });
    case 2: {
      const revision_ids = ids(/its work is revision ([\w-]{36})/g);
      return call("create_changeset", { revision_ids, title: "The work of all", summary: "" });
    }
    default:
      return say("Proposed.");
  }
}

function taskOf(name: Name): string {
  return `Work in the ${name}.`;
}

function nameIn({ messages }: ModelRequest): Name | null {
  const asked = messages.find(({ role }) => role === "user");
  return NAMES.find((name) => asked?.role === "user" && asked.text.includes(taskOf(name))) ?? null;
}

async function open(options: Parameters<typeof ActionFixture.start>[0]): Promise<void> {
  cluster = await FakeCluster.start({ pods: "bubblewrap" });
  fixture = await ActionFixture.start({ ...options, settings: { ...cluster.environment, MAX_TURNS: "12" } });
  client = clientOf(fixture.url, fixture.key?.secret ?? "");
  runIds = [];
  ({ id: workspaceId } = await client.workspaces.create({ body: { name: "in pods" } }));
  await client.files.write({ workspaceId, body: SHARED });
  const { id: operationId } = await client.copies.checkpoint({ workspaceId });
  await client.operations.get({ workspaceId, operationId, query: { wait: 20 } });
}

async function submit(): Promise<string> {
  return (await client.workspaceRuns.submit({ workspaceId, body: { message: "Manage." } })).run_id;
}

async function eventsOf(runId: string) {
  const events = [];
  for await (const { event } of client.runs.follow({ runId })) events.push(event);
  return events;
}

async function workers(): Promise<readonly WorkerView[]> {
  return (await client.workers.list({ workspaceId })).items;
}

async function workerOf(runId: string | undefined): Promise<WorkerView> {
  const found = (await workers()).find(({ run_id }) => run_id === runId);
  if (found === undefined) throw new Error(`No worker has the run ${runId}.`);
  return found;
}

/** The claim and the pod of the run of that place in the list, once its command has left this file. */
async function begun(
  index: number,
  file: string,
): Promise<{ readonly claim: string; readonly pod: FakePod }> {
  for (;;) {
    const claim = `run-${runIds[index]}`;
    if (cluster.hasPod(claim) && existsSync(join(cluster.podOf(claim).folder, "tree", file)))
      return { claim, pod: cluster.podOf(claim) };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function savedFiles({ saved_revision_id: revisionId }: WorkerView): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const of = { workspaceId, revisionId: revisionId ?? "" };
  for (const { path } of (await client.revisionFiles.list(of)).items) {
    const { body } = await client.revisionFiles.download({ ...of, query: { path } });
    files[path] = await new Response(body).text();
  }
  return files;
}

async function expectNothingLeft(): Promise<void> {
  await cluster.settled();
  expect(cluster.claims.values).toEqual([]);
  await fixture.restore();
  await expectNothingKept(fixture);
}

for (const deployment of deployments) {
  describe(`workers of a workspace in pods of a service on ${deployment.store.name}`, {
    tags: [...deployment.store.tags, "sandbox"],
  }, () => {
    beforeEach(async () => await open(deployment));
    afterEach(async () => {
      await fixture.close();
      await cluster.close();
    });

    it("have a pod each, and what their commands change is saved as a revision each", {
      timeout: 120_000,
    }, async () => {
      fixture.step = (request) => {
        const name = nameIn(request);
        if (name === null) return manage(NAMES, request);
        const command = `cat shared.txt; echo ${name} > ${name}.txt; until [ -e go ]; do sleep 0.1; done; rm go shared.txt; ls`;
        return request.assistantTurns === 0 ? call("run_command", { command }) : say("Done.");
      };
      const runId = await submit();
      const atWork = await Promise.all(NAMES.map((name, index) => begun(index, `${name}.txt`)));
      expect(new Set(atWork.map(({ pod }) => pod.name)).size).toBe(2);
      // The manager executes nothing.
      expect(cluster.claims.values.map(({ metadata }) => metadata.name).toSorted()).toEqual(
        atWork.map(({ claim }) => claim).toSorted(),
      );
      for (const [index, { pod }] of atWork.entries())
        expect((await readdir(join(pod.folder, "tree"))).toSorted()).toEqual(
          [".git", `${NAMES[index]}.txt`, "shared.txt"].toSorted(),
        );
      for (const { pod } of atWork) await writeFile(join(pod.folder, "tree/go"), "");
      await eventsOf(runId);
      for (const [index, name] of NAMES.entries()) {
        const worker = await workerOf(runIds[index]);
        expect(worker).toMatchObject({ save_state: "saved", save_error: null });
        expect(await savedFiles(worker)).toEqual({ [`${name}.txt`]: `${name}\n` });
      }
      const { items: changesets } = await client.changesets.list({ workspaceId });
      expect(changesets).toMatchObject([{ title: "The work of all", files: 3 }]);
      await expectNothingLeft();
    });

    it("go on in their copies after the loss of a pod and of a process, and save nothing of what the lost commands wrote", {
      timeout: 120_000,
    }, async () => {
      const lost = (turn: number) =>
        `echo lost >> kept.txt; touch begun-${turn}; while true; do sleep 0.1; done`;
      const commands = [
        "echo kept > kept.txt",
        lost(1),
        lost(2),
        "cat kept.txt shared.txt; ls; echo more > more.txt",
      ];
      let apiKey: string | null = null;
      fixture.step = (request) => {
        if (nameIn(request) === null) return manage(["north"], request);
        ({ apiKey } = request);
        const command = commands[request.toolResults.length];
        return command === undefined ? say("Done.") : call("run_command", { command });
      };
      const runId = await submit();
      const first = await begun(0, "begun-1");
      const before = await workerOf(runIds[0]);
      await cluster.evict(first.claim);
      const second = await begun(0, "begun-2");
      expect(second.pod.name).not.toBe(first.pod.name);
      await fixture.killWorker(apiKey);
      await eventsOf(runId);
      const [worker, ...others] = await workers();
      expect(others).toEqual([]);
      const { id, run_id, working_copy_id } = before;
      expect(worker).toMatchObject({
        id,
        run_id,
        working_copy_id,
        run_status: "completed",
        save_state: "saved",
      });
      const events = await eventsOf(run_id);
      const resumed = events.flatMap((event) =>
        event.type === "CUSTOM" && "name" in event && event.name === "resumed" ? [event.value] : [],
      );
      const unknown_calls = ["run_command"];
      expect(resumed).toMatchObject([
        { after: "lost_worker", unknown_calls },
        { after: "lost_worker", unknown_calls },
      ]);
      const results = events.flatMap((event) => (event.type === "TOOL_CALL_RESULT" ? [event.content] : []));
      expect(results.at(-1)).toBe("kept\nof everybody\nkept.txt\nshared.txt\n[exit code 0]");
      expect(await savedFiles(worker ?? before)).toEqual({
        [SHARED.path]: SHARED.content,
        "kept.txt": "kept\n",
        "more.txt": "more\n",
      });
      await expectNothingLeft();
    });
  });
}
