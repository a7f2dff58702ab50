// The revision that a worker leaves: its copy is saved once its run is over, whatever its ending was.
// Why: docs/decisions/089-what-a-worker-leaves.md

import { assertNever } from "../../../../base/assert-never.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Holder } from "../copies/copy.ts";
import { lockHeld } from "../copies/copy-lease.ts";
import { keepSave, prepareSave, type SaveRefusal } from "../copies/save-copy.ts";
import { keepingOf } from "../reach-workspace.ts";
import type { Worker, WorkerSave } from "./worker.ts";

/** Moves of the copy under a save: nobody but the service moves a copy that a run holds. */
const MAX_TRIES = 5;
const MAX_ERROR_CHARS = 500;

export async function beginSave(core: Core, workerId: string): Promise<void> {
  await settle(core, workerId, {
    saveState: "saving",
    savedRevisionId: null,
    saveError: null,
    savedAt: null,
  });
}

/** `why` is one line for a reader. What was written to the copy before stays there. */
export async function failSave(core: Core, workerId: string, why: string): Promise<void> {
  await settle(core, workerId, failed(core, why));
}

type SaveWorkerRequest = {
  readonly worker: Pick<Worker, "id" | "copyId" | "agentId" | "runId">;
  /** Null: nobody holds the copy, since the worker died. */
  readonly holder: Holder | null;
};

/**
 * Saves all that is in the worker's copy, and says so in one transaction. Where another run holds the copy, nothing is saved. Safe
 * to repeat: a worker is settled once.
 */
export async function saveWorker(core: Core, { worker, holder }: SaveWorkerRequest): Promise<void> {
  const { id: workerId, copyId, agentId, runId } = worker;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const copy = await core.store.committed.copies.find(copyId);
    if (copy === null) return await failSave(core, workerId, "Its copy was deleted.");
    const prepared = await prepareSave(core, copy);
    const author = { type: "run", run_id: runId, agent_id: agentId } as const;
    const message = `Work of run ${runId}`;
    const isDone = await core.store.transact(async (tx) => {
      if (holder !== null) {
        const held = await lockHeld(tx, { copyId, holder });
        if (!held.ok) return await put(failed(core, LOST));
      }
      const saved = await keepSave(core, tx, { prepared, message, author, holderRunId: runId });
      if (!saved.ok) {
        const why = whyNot(core, saved.refusal);
        return why === null ? false : await put(failed(core, why));
      }
      const { revisionId, isUnchanged } = saved.value;
      const saveState = isUnchanged ? "unchanged" : "saved";
      return await put({
        saveState,
        savedRevisionId: revisionId,
        saveError: null,
        savedAt: core.clock.now(),
      });

      async function put(save: WorkerSave): Promise<true> {
        await keepSaveState(core, tx, { workerId, save });
        return true;
      }
    });
    if (isDone) {
      core.signals.publish(copy.workspaceId);
      return core.signals.publish(workerId);
    }
  }
  await failSave(core, workerId, `Its copy moved ${MAX_TRIES} times while it was saved.`);
}

const LOST = "The run did not hold its copy any more.";

/** Null: it is to be tried again. */
function whyNot(core: Core, refusal: SaveRefusal): string | null {
  switch (refusal.reason) {
    case "copy_moved":
      return null;
    case "copy_held":
      return `Run ${refusal.runId} has taken the copy.`;
    case "copy_not_found":
    case "copy_canonical":
      return "Its copy was deleted.";
    case "workspace_not_found":
    case "workspace_of_another":
    case "workspace_erasing":
    case "workspaces_not_admitted":
    case "storage_adopting":
      return "Its workspace is being deleted.";
    case "path_invalid":
    case "path_collision":
      return keepingOf(core).describe(refusal).error;
    default:
      return assertNever(refusal);
  }
}

function failed(core: Core, why: string): WorkerSave {
  const saveError = why.slice(0, MAX_ERROR_CHARS).toWellFormed();
  return { saveState: "failed", savedRevisionId: null, saveError, savedAt: core.clock.now() };
}

async function settle(core: Core, workerId: string, save: WorkerSave): Promise<void> {
  const workspaceId = await core.store.transact((tx) => keepSaveState(core, tx, { workerId, save }));
  if (workspaceId !== null) core.signals.publish(workspaceId);
  core.signals.publish(workerId);
}

/** With its event. Returns the worker's workspace; null where there is no such worker. */
async function keepSaveState(
  { clock }: Core,
  tx: StoreTransaction,
  { workerId, save }: { workerId: string; save: WorkerSave },
): Promise<string | null> {
  await tx.workers.setSave(workerId, save);
  const workspaceId = (await tx.workers.find(workerId))?.worker.workspaceId ?? null;
  const { saveState: state } = save;
  if (workspaceId === null || state === "none") return workspaceId;
  const moves = [{ what: "worker", id: workerId, state }] as const;
  await tx.workspaceEvents.append({ workspaceId, moves, now: clock.now() });
  return workspaceId;
}
