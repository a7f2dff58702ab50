// The workspace port over the system's git: one folder a run, removed when the run is done with it.

import { resolve } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import type {
  Workspace,
  WorkspaceProvider,
  WorkspaceRefusal,
  WorkspaceSource,
} from "../core/ports/workspace.ts";
import { cloneCommit } from "./clone.ts";
import type { CloneLimits } from "./clone-limits.ts";
import { describe, refusalOf } from "./clone-refusal.ts";
import { checkCloneUrl, isObjectName } from "./clone-url.ts";
import { gitWorkspace } from "./git-workspace.ts";
import { makeRunFolder, removeFolder } from "./run-folder.ts";
import { gitOf, type RunGitOptions, withoutRepository } from "./run-git.ts";

/** A clone has a deadline of its own, and says more when that has passed. */
const PAST_DEADLINE_MS = 60_000;

export type GitWorkspacesOptions = RunGitOptions & {
  readonly limits: CloneLimits;
  readonly clock?: Clock;
};

/** Opens workspaces by shallow clones over https (plain http on loopback alone), without credentials. */
export function gitWorkspaces(options: GitWorkspacesOptions): WorkspaceProvider {
  const settings = { ...options, folder: resolve(options.folder) };
  return {
    open: (source, signal) => openWorkspace(settings, { source, signal }),
    ...withoutRepository(settings),
  };
}

async function openWorkspace(
  options: GitWorkspacesOptions,
  { source, signal }: { source: WorkspaceSource; signal: AbortSignal },
): Promise<Result<Workspace, WorkspaceRefusal>> {
  signal.throwIfAborted();
  const target = checkCloneUrl(source.cloneUrl);
  if ("fault" in target) return refused({ reason: "clone_refused", detail: describe(source, target.fault) });
  if (!isObjectName(source.sha)) {
    const detail = describe(source, "the commit is not named by 40 or 64 hexadecimal digits");
    return refused({ reason: "clone_refused", detail });
  }
  const folder = await makeRunFolder(options.folder, source.runId);
  try {
    const { limits, clock = systemClock } = options;
    const gitTimeoutMs = limits.cloneTimeoutMs + PAST_DEADLINE_MS;
    const { tree, base } = await cloneCommit({
      git: gitOf({ ...options, gitTimeoutMs }, folder),
      gitFolder: folder.git,
      target,
      source,
      limits,
      clock,
      signal,
    });
    signal.throwIfAborted();
    const git = gitOf(options, folder);
    return ok(gitWorkspace({ git, folder, source, base, unsearched: tree.largeFiles, signal }));
  } catch (cause) {
    await removeFolder(folder.path);
    signal.throwIfAborted();
    return refused(refusalOf(cause, source));
  }
}
