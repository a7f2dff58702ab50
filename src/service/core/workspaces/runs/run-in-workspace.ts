// Runs of workspaces as the executor sees them: their files, and the texts that they get about the workspace.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { CheckoutRefusal } from "../../checkouts/checkout.ts";
import type { CopyFolders } from "../../checkouts/copy-folders.ts";
import type { Core } from "../../core.ts";
import type { ContextItem } from "../context-items/context-item.ts";
import type { Workspace } from "../workspace.ts";
import { managerDesk } from "./manager-desk.ts";
import { openAcceptedFiles, openRunCopy } from "./open-run-copy.ts";
import type { OpenedWorkspace, RunInWorkspace, WorkspaceRuns } from "./run-port.ts";

/** As many as a workspace may have, and more. */
const MAX_ITEMS = 1_000;

export function workspaceRuns(core: Core, folders: CopyFolders): WorkspaceRuns {
  return { open: (run) => openRun(core, folders, run) };
}

async function openRun(
  core: Core,
  folders: CopyFolders,
  run: RunInWorkspace,
): Promise<Result<OpenedWorkspace, CheckoutRefusal>> {
  const { workspaceId, copyId } = run.workspace;
  const { committed } = core.store;
  const workspace = await committed.workspaces.find(workspaceId);
  if (workspace === null || workspace.state === "erasing") {
    const detail = `Workspace ${workspaceId} was deleted before the run began.`;
    return refused({ reason: "checkout_failed", detail });
  }
  const files =
    copyId === null
      ? await openAcceptedFiles(core, { ...run, folders, workspace, place: run.workspace })
      : await openRunCopy(core, { ...run, folders, copyId });
  if (!files.ok) return files;
  const items = await committed.contextItems.list({ workspaceId, before: null, limit: MAX_ITEMS });
  const { agentId } = run.taken.run;
  const briefing = briefingOf({ workspace, copyId, agentId, items });
  // A worker has a task of its own: it hands out none.
  const isManager = agentId === workspace.managerAgentId && run.workspace.workerId === null;
  const desk = isManager ? managerDesk(core, { taken: run.taken, workspace }) : null;
  return ok({ ...files.value, keepsChanges: copyId !== null, briefing, desk });
}

function briefingOf(about: {
  readonly workspace: Workspace;
  readonly copyId: string | null;
  readonly agentId: string;
  readonly items: readonly ContextItem[];
}): string {
  const { workspace, copyId, agentId, items } = about;
  const role = agentId === workspace.managerAgentId ? "its manager" : "one of its agents";
  const files =
    copyId === null
      ? "Your files are the accepted ones. What you change of them stays in this session: to change the workspace, work in a copy and make a changeset."
      : `Your files are copy ${copyId}, in which nobody else writes meanwhile. What you change is kept there without a commit of yours; it becomes part of the accepted files once its owner accepts a changeset.`;
  const told = items.toReversed().map(({ kind, title, content }) => {
    if (kind === "file") return `## ${title}\n\nRead the file ${JSON.stringify(content)} before you begin.`;
    return kind === "url" ? `## ${title}\n\nSee ${content}` : `## ${title}\n\n${content}`;
  });
  return [`You work in the workspace ${JSON.stringify(workspace.name)} as ${role}. ${files}`, ...told].join(
    "\n\n",
  );
}
