// Workers and task groups: what they leave, what they may cost, and how they are stopped.

import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Client } from "../../../src/client/client.ts";
import type { WorkerView } from "../../../src/contract/workspaces/workers/worker.ts";
import {
  expectProblem,
  onEveryDeployment,
  readToEnd,
  replyOf,
  UNKNOWN,
  untilAtWork,
} from "../every-deployment.ts";
import { copyIdOf } from "./copy-id.ts";

const files = (changes: Readonly<Record<string, string | null>>) => `files ${JSON.stringify(changes)}`;
const filesAndWait = (changes: Readonly<Record<string, string | null>>) =>
  `files and wait ${JSON.stringify(changes)}`;

/** A run that has ended does not say that its changes are saved: that is asked for. */
async function untilSettled(client: Client, worker: WorkerView): Promise<WorkerView> {
  const { workspace_id: workspaceId, id: workerRequestId } = worker;
  await readToEnd(client, worker.run_id);
  for (;;) {
    const now = await client.workers.get({ workspaceId, workerRequestId });
    if (now.save_state !== "none" && now.save_state !== "saving") return now;
    await setTimeout(50);
  }
}

onEveryDeployment("workers", (service) => {
  const fixture = async (group: { budget_credits?: number; max_workers?: number } = {}) => {
    const account = await service().account();
    const { owner, ownerKey } = account;
    const workspace = await owner.workspaces.create({ body: { name: "w" } });
    const workspaceId = workspace.id;
    const { id: groupId } = await owner.taskGroups.create({ workspaceId, body: { name: "g", ...group } });
    const start = (message: string, more: object = {}) =>
      owner.workers.start({ workspaceId, body: { task_group_id: groupId, message, ...more } });
    const post = (path: string, json: unknown, key?: string) =>
      service().call(`/v1/${path}`, {
        method: "POST",
        bearer: ownerKey,
        json,
        headers: key === undefined ? {} : { "idempotency-key": key },
      });
    return { ...account, workspace, workspaceId, groupId, start, post };
  };

  it("start for a task group of one credit, which pays for one run", async () => {
    const { owner, start } = await fixture({ budget_credits: 1, max_workers: 1 });
    const worker = await start("hello");
    await readToEnd(owner, worker.run_id);
    const run = await owner.runs.get({ agentId: worker.executor_agent_id, runId: worker.run_id });
    expect(run.status).toBe("completed");
  });

  it("rule 2: work in a copy for a task group", async () => {
    const { owner, workspace, workspaceId, groupId, start, post } = await fixture();
    const worker = await start("hello");
    expect(worker).toMatchObject({
      workspace_id: workspaceId,
      task_group_id: groupId,
      created_by: { type: "owner" },
      executor_agent_id: workspace.manager_agent_id,
    });
    const copy = await owner.copies.get({ workspaceId, workingCopyId: worker.working_copy_id });
    expect(copy.base_revision_id).toBe(workspace.current_revision_id);
    await readToEnd(owner, worker.run_id);
    const run = await owner.runs.get({ agentId: worker.executor_agent_id, runId: worker.run_id });
    expect(run).toMatchObject({ status: "completed", workspace_id: workspaceId, copy_id: copy.id });
    const path = `workspaces/${workspaceId}/workers`;
    expectProblem(await post(path, { message: "hello" }), [400, "invalid_request"]);
    expectProblem(await post(path, { message: "hello", task_group_id: UNKNOWN }), [404, "not_found"]);
    const named = { message: "hello", task_group_id: groupId };
    const twice = { ...named, working_copy_id: copy.id, base_revision_id: workspace.current_revision_id };
    expectProblem(await post(path, twice), [400, "invalid_request"]);
    expectProblem(await post(path, { ...named, executor_agent_id: UNKNOWN }), [400, "invalid_request"]);
    expectProblem(await post(path, { ...named, base_revision_id: UNKNOWN }), [404, "not_found"]);
    const asRun = { message: files({ "r.txt": "r" }), task_group_id: groupId, working_copy_id: copy.id };
    const submitted = await owner.workspaceRuns.submit({ workspaceId, body: asRun });
    const { items } = await owner.workers.list({ workspaceId });
    expect(items.map(({ run_id }) => run_id)).toEqual([submitted.run_id, worker.run_id]);
  });

  it("rule 4: leave a revision that is saved, and not accepted", async () => {
    const { owner, workspace, workspaceId, start } = await fixture();
    const worker = await start(files({ "src/a.ts": "a\n", "b.txt": "b\n" }));
    await readToEnd(owner, worker.run_id);
    const saved = await untilSettled(owner, worker);
    expect(saved).toMatchObject({ run_status: "completed", save_state: "saved", save_error: null });
    const revisionId = saved.saved_revision_id ?? "";
    const revision = await owner.revisions.get({ workspaceId, revisionId });
    expect(revision).toMatchObject({
      files: 2,
      bytes: 4,
      accepted_at: null,
      parent_ids: [workspace.current_revision_id],
      author: { type: "run", run_id: worker.run_id, agent_id: worker.executor_agent_id },
    });
    expect(await owner.workspaces.get({ workspaceId })).toMatchObject({
      current_revision_id: workspace.current_revision_id,
    });
    // The next one in that copy finds them.
    const next = await start(files({ "b.txt": null }), { working_copy_id: worker.working_copy_id });
    const later = await untilSettled(owner, next);
    const after = await owner.revisions.get({ workspaceId, revisionId: later.saved_revision_id ?? "" });
    expect(after).toMatchObject({ files: 1, bytes: 2, parent_ids: [revisionId] });
    const idle = await untilSettled(owner, await start("hello", { base_revision_id: revisionId }));
    expect(idle).toMatchObject({ save_state: "unchanged", saved_revision_id: revisionId });
  });

  it("rule 4: leave a revision, too, where they are cancelled or fail", async () => {
    const { owner, workspaceId, start } = await fixture();
    const worker = await start(filesAndWait({ "half.txt": "half" }));
    await untilAtWork(owner, worker.run_id);
    const agentId = worker.executor_agent_id;
    await owner.runs.cancel({ agentId, runId: worker.run_id });
    const saved = await untilSettled(owner, worker);
    expect(saved).toMatchObject({ run_status: "cancelled", save_state: "saved" });
    const revision = await owner.revisions.get({ workspaceId, revisionId: saved.saved_revision_id ?? "" });
    expect(revision.files).toBe(1);
    const failed = await untilSettled(owner, await start("fail"));
    expect(failed).toMatchObject({ run_status: "failed", save_state: "unchanged" });
  });

  it("rule 8: have their copies for themselves while they work", async () => {
    const { owner, workspaceId, groupId, start, post } = await fixture();
    const worker = await start(filesAndWait({ "a.txt": "a" }));
    await untilAtWork(owner, worker.run_id);
    const { working_copy_id: copyId, run_id: runId } = worker;
    expect(await owner.copies.get({ workspaceId, workingCopyId: copyId })).toMatchObject({
      state: "held",
      held_by_run_id: runId,
    });
    const json = { message: "hello", task_group_id: groupId, working_copy_id: copyId };
    const refused = await post(`workspaces/${workspaceId}/workers`, json);
    expectProblem(refused, [409, "copy_held"]);
    expect(refused.body).toMatchObject({ run_id: runId });
    expectProblem(await post(`workspaces/${workspaceId}/checkpoints`, { working_copy_id: copyId }), [
      409,
      "copy_held",
    ]);
    await owner.taskGroups.stop({ taskGroupId: groupId });
    await untilSettled(owner, worker);
  });

  it("rule 7: are started once by their key", async () => {
    const { owner, workspaceId, groupId, post } = await fixture();
    const path = `workspaces/${workspaceId}/workers`;
    const json = { message: "hello", task_group_id: groupId };
    const all = await Promise.all([
      post(path, json, "key"),
      post(path, json, "key"),
      post(path, json, "key"),
    ]);
    const again = await post(path, { ...json, idempotency_key: "other" }, "key");
    expect(again.status, again.text).toBe(202);
    expect(again.headers.get("x-svc-idempotent-replay")).toBe("true");
    for (const { status, body } of all) {
      if (status === 202) expect(body).toMatchObject({ id: (again.body as WorkerView).id });
      else expect(status).toBe(409);
    }
    expectProblem(await post(path, { ...json, message: "other" }, "key"), [422, "idempotency_key_reused"]);
    expect((await owner.workers.list({ workspaceId })).items).toHaveLength(1);
    expect((await owner.copies.list({ workspaceId })).items).toHaveLength(2);
  });

  it("ten at once each leave what they have done", async () => {
    const { owner, workspaceId, groupId, start } = await fixture();
    const numbers = Array.from({ length: 10 }, (_, at) => at);
    const workers = await Promise.all(numbers.map((at) => start(files({ [`part-${at}.txt`]: `${at}` }))));
    const settled = await Promise.all(workers.map((worker) => untilSettled(owner, worker)));
    expect(settled.map(({ save_state }) => save_state)).toEqual(numbers.map(() => "saved"));
    expect(new Set(settled.map(({ saved_revision_id }) => saved_revision_id)).size).toBe(10);
    const group = await owner.taskGroups.get({ taskGroupId: groupId });
    expect(group.workers).toMatchObject({ total: 10, by_save_state: { saved: 10 } });
    const first = await owner.workers.list({ workspaceId, query: { limit: 7 } });
    const rest = await owner.workers.list({ workspaceId, query: { limit: 7, cursor: first.next_cursor } });
    expect([first.items.length, rest.items.length, rest.next_cursor]).toEqual([7, 3, ""]);
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(
      settled.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1)),
    );
  });

  it("ten are started by one run of the manager, which hears what each has left", async () => {
    const { owner, workspace, workspaceId } = await fixture();
    const made = await owner.copies.create({ workspaceId });
    const body = { message: "fan out 10", working_copy_id: copyIdOf(made) };
    const { run_id: runId } = await owner.workspaceRuns.submit({ workspaceId, body });
    type Said = {
      reports: { savedRevisionId: string; saveState: string; reply: string }[];
      proposal: { changesetId: string; revisionId: string; files: number; conflicts: string[] };
    };
    const events = await readToEnd(owner, runId);
    expect(events.at(-1)?.event, JSON.stringify(events.at(-1))).toMatchObject({ type: "RUN_FINISHED" });
    const { reports, proposal }: Said = JSON.parse(replyOf(events));
    expect(reports.map(({ saveState, reply }) => [saveState, reply])).toEqual(
      reports.map(() => ["saved", "written"]),
    );
    expect(new Set(reports.map(({ savedRevisionId }) => savedRevisionId)).size).toBe(10);
    const { items } = await owner.workers.list({ workspaceId });
    const agentId = workspace.manager_agent_id;
    for (const worker of items) {
      expect(worker.created_by).toEqual({ type: "run", run_id: runId, agent_id: agentId });
      const run = await owner.runs.get({ agentId, runId: worker.run_id });
      expect(run).toMatchObject({ origin: "agent", parent_run_id: runId });
    }
    const groups = await owner.taskGroups.list({ workspaceId });
    expect(groups.items.map(({ workers }) => workers.total)).toEqual([10, 0]);
    // All of it is one changeset, which nobody has accepted.
    expect(groups.items[0]?.changeset_ids).toEqual([proposal.changesetId]);
    expect(proposal).toMatchObject({ files: 10, conflicts: [] });
    const revision = await owner.revisions.get({ workspaceId, revisionId: proposal.revisionId });
    expect(revision).toMatchObject({ files: 10, accepted_at: null });
  });

  it("are stopped with their group, which takes no more", async () => {
    const { owner, ai, workspaceId, groupId, start, post } = await fixture();
    const workers = await Promise.all([start(filesAndWait({ "a.txt": "a" })), start("wait"), start("wait")]);
    const first = workers[0];
    if (first === undefined) throw new Error("There is no worker.");
    await untilAtWork(owner, first.run_id);
    const stopped = await ai.taskGroups.stop({ taskGroupId: groupId });
    expect(stopped).toMatchObject({ id: groupId, status: "stopped" });
    for (const worker of workers)
      expect(await untilSettled(owner, worker)).toMatchObject({ run_status: "cancelled" });
    const json = { message: "hello", task_group_id: groupId };
    expectProblem(await post(`workspaces/${workspaceId}/workers`, json), [409, "task_group_stopped"]);
    const again = await owner.taskGroups.stop({ taskGroupId: groupId });
    expect(again).toMatchObject({ status: "stopped", stopped_at: stopped.stopped_at });
    expect(again.workers.by_run_status.cancelled).toBe(3);
  });

  it("are no more at a time than their group allows", async () => {
    const { owner, workspaceId, groupId, start, post } = await fixture({ max_workers: 2 });
    await Promise.all([start("wait"), start("wait")]);
    const json = { message: "hello", task_group_id: groupId };
    const full = await post(`workspaces/${workspaceId}/workers`, json);
    expectProblem(full, [429, "concurrency_reached"]);
    expect(full.headers.get("retry-after")).toBe("10");
    await owner.taskGroups.stop({ taskGroupId: groupId });
  });

  it("cost what their group's costs say, and are another account's to nobody", async () => {
    const { owner, groupId, workspaceId, start } = await fixture();
    const worker = await start("hello");
    await untilSettled(owner, worker);
    const costs = await owner.taskGroups.costs({ taskGroupId: groupId });
    expect(costs).toMatchObject({ runs: 1, tokens: 7 });
    expect((await owner.taskGroups.list({ workspaceId })).items.map(({ id }) => id)).toEqual([groupId]);
    const { ownerKey: otherKey } = await service().account();
    for (const path of [`task-groups/${groupId}`, `task-groups/${groupId}/costs`]) {
      expectProblem(await service().call(`/v1/${path}`, { bearer: otherKey }), [403, "forbidden"]);
    }
    const unknown = await service().call(`/v1/task-groups/${UNKNOWN}`, { bearer: otherKey });
    expectProblem(unknown, [404, "not_found"]);
  });
});
