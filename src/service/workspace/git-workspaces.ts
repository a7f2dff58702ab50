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
import { openEmptyWorkspace } from "./empty-workspace.ts";
import { createGit, type Git } from "./git-process.ts";
import { gitWorkspace } from "./git-workspace.ts";
import { makeRunFolder, type RunFolder, removeFolder, removeLeftOvers } from "./run-folder.ts";

export type GitWorkspacesOptions = {
  /** Where the run folders lie. Made when missing; belongs to one service process. */
  readonly folder: string;
  readonly limits: CloneLimits;
  /** Variables of which git gets `PATH`, the proxies and the certificates; everything else stays here. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A name looked up in `PATH`, or a path. Default "git". */
  readonly gitPath?: string;
  readonly clock?: Clock;
};

/** Opens workspaces by shallow clones over https (plain http on loopback alone), without credentials. */
export function gitWorkspaces(options: GitWorkspacesOptions): WorkspaceProvider {
  const settings = { ...options, folder: resolve(options.folder) };
  return {
    open: (source, signal) => openWorkspace(settings, { source, signal }),
    openEmpty: async ({ runId }, signal) => {
      signal.throwIfAborted();
      const folder = await makeRunFolder(settings.folder, runId);
      return await openEmptyWorkspace({ git: gitOf(settings, folder), folder, signal });
    },
    sweep: () => removeLeftOvers(settings.folder),
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
    const git = gitOf(options, folder);
    const { limits, clock = systemClock } = options;
    const tree = await cloneCommit({
      git,
      gitFolder: folder.git,
      target,
      sha: source.sha,
      limits,
      clock,
      signal,
    });
    signal.throwIfAborted();
    return ok(gitWorkspace({ git, folder, source, unsearched: tree.largeFiles, signal }));
  } catch (cause) {
    await removeFolder(folder.path);
    signal.throwIfAborted();
    return refused(refusalOf(cause, source));
  }
}

function gitOf(options: GitWorkspacesOptions, folder: RunFolder): Git {
  return createGit({
    environment: options.environment,
    gitPath: options.gitPath ?? "git",
    gitFolder: folder.git,
    treeFolder: folder.tree,
    home: folder.home,
  });
}
