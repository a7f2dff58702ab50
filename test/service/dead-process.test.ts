// What the process before this one held in workspaces, on a store that one process has at a time: it is free at the start.

import { expect, it, vi } from "vitest";
import { takeRun } from "../../src/service/core/runs/progress-run.ts";
import { holderOf } from "../../src/service/core/workspaces/copies/copy.ts";
import { queuedOperation } from "../../src/service/core/workspaces/operations/operation.ts";
import { ServiceNode } from "../../src/service/wiring/node.ts";
import { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { TestWorkspace } from "../support/workspaces.ts";

const TASK_GROUP = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const WORKER = "0198f3a1-0000-7000-8000-000000000001";

it("settles a killed worker, takes up operations and deletes what uploads left, at once", async () => {
  const fixture = await CoreFixture.start();
  const { core, clock, executor, submitter, place, store } = fixture;
  const workspace = await TestWorkspace.make(core);
  const copyId = await workspace.makeCopy();
  await workspace.write(copyId, { "work.txt": "what the worker had done" });
  const now = clock.now();
  const runId = await fixture.submit();
  await takeRun(core, runId);
  const other = await workspace.makeCopy();
  const operation = queuedOperation({
    id: core.random.uuid(now),
    workspaceId: workspace.id,
    accountId: workspace.owner.accountId,
    now,
    kind: "delete_copy",
    input: { working_copy_id: other },
  });
  await store.transact(async (tx) => {
    await tx.copies.hold(copyId, { runId, fence: 1 });
    await tx.workers.insert({
      id: WORKER,
      workspaceId: workspace.id,
      taskGroupId: TASK_GROUP,
      copyId,
      agentId: "agent",
      runId,
      saveState: "none",
      savedRevisionId: null,
      saveError: null,
      savedAt: null,
      shareMicroUsd: null,
      createdBy: { type: "owner" },
      createdAt: now,
    });
    await tx.copies.markDeleting(other);
    await tx.operations.insert(operation);
    await tx.blobs.begin({ keys: [`ws/${workspace.id}/unfinished`], now });
  });

  const next = fixture.nextProcess();
  const stopLooking = vi.fn();
  const node = new ServiceNode({
    core: next,
    executor,
    submitter,
    describe: ({ reason }) => reason,
    sweepMachine: null,
    shared: null,
    keptMs: 0,
    loopDelay: { stop: stopLooking },
  });
  // No time goes by: leases that have not run out are those of a dead process.
  await node.start();
  expect(holderOf(await workspace.copy(copyId))).toBeNull();
  const worker = async () => (await store.committed.workers.find(WORKER))?.worker;
  await expect.poll(worker).toMatchObject({ saveState: "saved" });
  const revision = await workspace.revision((await worker())?.savedRevisionId ?? "");
  expect(await workspace.files(revision.treeOid)).toEqual({ "work.txt": "what the worker had done" });
  await expect.poll(() => workspace.operation(operation.id)).toMatchObject({ status: "succeeded" });
  expect(await place.query("select key from blobs where state = 'unfinished'")).toEqual([]);
  await node.stop();
  await node.close();
  expect(stopLooking).toHaveBeenCalledOnce();
  await fixture.close();
});
