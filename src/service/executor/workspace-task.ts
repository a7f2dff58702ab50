// The task of a run that works in a workspace.

import type { OpenedWorkspace } from "../core/workspaces/runs/run-port.ts";
import type { BackendTask } from "./backend.ts";
import type { Delegations } from "./delegations.ts";

/** A workspace's runs are told of it, whichever backend executes them. Workers are what a run delegates. */
export function inWorkspace(
  task: BackendTask,
  {
    workspace,
    delegations,
    lend,
  }: {
    readonly workspace: OpenedWorkspace;
    readonly delegations: Delegations;
    readonly lend: <Value>(wait: () => Promise<Value>) => Promise<Value>;
  },
): BackendTask {
  const briefing = { role: "system" as const, content: workspace.briefing };
  const { desk } = workspace;
  return {
    ...task,
    isInWorkspace: true,
    filesMayBeOthers: workspace.keepsChanges && task.journal?.left?.wasParked === true,
    emit: async (event, effect = "maybe_files") => {
      await task.emit(event);
      if (event.type === "TOOL_CALL_RESULT" && effect === "maybe_files") workspace.callEnded();
    },
    messages: [briefing, ...task.messages],
    desk: desk && {
      createCopy: (baseRevisionId, call) => desk.createCopy(baseRevisionId, call),
      createChangeset: (work, call, signal) =>
        desk.createChangeset(task.secrets.applyWithin(work), call, signal),
      startWorker: (asked, call) => {
        const masked = { ...asked, message: task.secrets.apply(asked.message) };
        return delegations.start(() => desk.startWorker(masked, call));
      },
      awaitWorkers: (workerIds, signal) => lend(() => desk.awaitWorkers(workerIds, signal)),
    },
  };
}
