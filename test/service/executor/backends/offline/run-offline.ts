// Runs the offline backend over a workspace, or over files, and keeps what it said.

import type { Workspace } from "../../../../../src/service/core/ports/workspace.ts";
import type { RepositoryTask } from "../../../../../src/service/executor/backend.ts";
import { offlineBackend } from "../../../../../src/service/executor/backends/offline/offline.ts";
import { folderWorkspace } from "../../tools/folder-workspace.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";

export async function runOffline(
  workspace: Workspace,
  changes: Partial<RepositoryTask> = {},
  recorder = new TaskRecorder(),
): Promise<TaskRecorder> {
  if (!offlineBackend.needsWorkspace) throw new Error("offline needs a workspace.");
  await offlineBackend.run(recorder.task({ sha: workspace.headSha, ...changes }), workspace);
  return recorder;
}

/** The briefing of a folder with these files; `parts` replaces what git would have answered. */
export async function briefingOf(
  files: Readonly<Record<string, string | Buffer>>,
  options: { readonly parts?: Partial<Workspace>; readonly task?: Partial<RepositoryTask> } = {},
): Promise<string> {
  const workspace = await folderWorkspace(files);
  try {
    return (await runOffline({ ...workspace, ...options.parts }, options.task)).text();
  } finally {
    await workspace.close();
  }
}
