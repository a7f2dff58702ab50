// The tools of a workspace's manager: make a copy, start workers, wait for their revisions.

import * as z from "zod/mini";
import type { Result } from "../../../base/result.ts";
import type {
  DeskRefusal,
  ManagerDesk,
  Proposal,
  StartedWorkerRun,
  WorkerReport,
} from "../../core/workspaces/runs/desk-port.ts";
import { defineTool, type Tool, ToolError } from "./tool.ts";
import { described } from "./tool-input.ts";

const MAX_TASK_CHARS = 32_000;
const MAX_WORKERS = 100;
const MAX_REPLY_CHARS = 4_000;

const revision = z.optional(
  described(z.uuid(), "The id of a revision of the workspace. Left out: the accepted one."),
);

export function managerTools(desk: ManagerDesk): readonly Tool<unknown>[] {
  return [createCopyTool(desk), startWorkerTool(desk), awaitWorkersTool(desk), createChangesetTool(desk)];
}

function createCopyTool(desk: ManagerDesk): Tool<{ readonly copyId: string }> {
  return defineTool({
    name: "create_copy",
    description: "Makes a working copy of the workspace's files, for workers that work one after the other.",
    isOutside: true,
    isRepeatable: true,
    input: z.object({ base_revision_id: revision }),
    find: async ({ base_revision_id = null }, { call = null }) =>
      granted(await desk.createCopy(base_revision_id, call)),
    format: ({ copyId }) => `Copy ${copyId}.`,
  });
}

function startWorkerTool(desk: ManagerDesk): Tool<StartedWorkerRun> {
  return defineTool({
    name: "start_worker",
    description:
      "Starts a worker: a run in a copy of its own, which knows nothing of this conversation. It goes on beside you and beside other workers; what it changes is saved as a revision. Wait for it with await_workers before you end: your workers end with you.",
    isOutside: true,
    isRepeatable: true,
    input: z.object({
      task: described(
        z.string().check(z.minLength(1), z.maxLength(MAX_TASK_CHARS)),
        "What to do, with all that the worker must know.",
      ),
      copy_id: z.optional(
        described(z.uuid(), "A copy to work in, in which nobody is at work. Left out: a new one."),
      ),
      base_revision_id: revision,
      agent_id: z.optional(
        described(z.uuid(), "The member of the workspace that works. Left out: an agent as you are."),
      ),
    }),
    find: async (
      { task: message, copy_id = null, base_revision_id = null, agent_id = null },
      { call = null },
    ) => {
      const task = { message, copyId: copy_id, baseRevisionId: base_revision_id, agentId: agent_id };
      return granted(await desk.startWorker(task, call));
    },
    format: ({ workerId, copyId, runId }) => `Worker ${workerId} works in copy ${copyId}. [run ${runId}]`,
  });
}

function awaitWorkersTool(desk: ManagerDesk): Tool<readonly WorkerReport[]> {
  return defineTool({
    name: "await_workers",
    description:
      "Waits until these workers have ended and what they changed is saved. Says how each ended, what it replied, and the revision that has its work: that is not accepted by that.",
    input: z.object({
      worker_ids: described(
        z.array(z.uuid()).check(z.minLength(1), z.maxLength(MAX_WORKERS)),
        "The ids that start_worker gave.",
      ),
    }),
    find: async ({ worker_ids }, { signal }) => granted(await desk.awaitWorkers(worker_ids, signal)),
    format: (reports) => reports.map(describe).join("\n\n"),
  });
}

function createChangesetTool(desk: ManagerDesk): Tool<Proposal> {
  return defineTool({
    name: "create_changeset",
    description:
      "Proposes revisions, such as those that workers left, as one changeset: they are merged in turn. Where two of them conflict, it is refused and names the paths. The owner of the workspace accepts a changeset, and you can not.",
    isOutside: true,
    isRepeatable: true,
    input: z.object({
      revision_ids: described(
        z.array(z.uuid()).check(z.minLength(1), z.maxLength(MAX_WORKERS)),
        "The revisions, in the order in which they are merged.",
      ),
      title: described(z.string().check(z.minLength(1), z.maxLength(255)), "What it changes, in a line."),
      summary: described(
        z.string().check(z.maxLength(10_000)),
        "What it changes and why, and how that was verified.",
      ),
    }),
    find: async ({ revision_ids: revisionIds, title, summary }, { signal, call = null }) =>
      granted(await desk.createChangeset({ revisionIds, title, summary }, call, signal)),
    format: ({ changesetId, revisionId, files, conflicts }) => {
      const what = `Changeset ${changesetId} of revision ${revisionId}: ${files} files.`;
      return conflicts.length === 0
        ? `${what} Its owner can accept it.`
        : `${what} It conflicts with the accepted revision at: ${conflicts.slice(0, 50).join(", ")}. Its owner has to settle that.`;
    },
  });
}

function describe({
  workerId,
  runStatus,
  saveState,
  savedRevisionId,
  saveError,
  reply,
}: WorkerReport): string {
  const work =
    saveState === "saved"
      ? `its work is revision ${savedRevisionId}`
      : saveState === "unchanged"
        ? "it changed nothing"
        : `its work could not be saved: ${saveError ?? "nobody knows why"}`;
  return `Worker ${workerId}: ${runStatus}, ${work}.\n${reply === "" ? "[no reply]" : reply.slice(0, MAX_REPLY_CHARS)}`;
}

function granted<Value>(result: Result<Value, DeskRefusal>): Value {
  if (!result.ok) throw new ToolError("refused", result.refusal.why);
  return result.value;
}
