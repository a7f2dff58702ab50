// Git for repositories that nobody has vetted: the one way to run it, under the settings of this folder.

import * as base from "../../base/git-process.ts";
import { type GitSettings, gitEnvironment, gitOptions } from "./git-settings.ts";

export { GitError, type GitErrorCode } from "../../base/git-process.ts";

export type GitCall = Omit<base.GitCall, "options" | "env"> & {
  /** Extra `name=value` configuration. */
  readonly config?: readonly string[];
};

export type GitOutput = Omit<base.GitOutput, "exitCode">;

/**
 * Runs git calls for one checkout. Rejects with the signal's reason when it aborts, with a `GitError` when git
 * fails; by then the process and all that it started have been ended.
 */
export type Git = (call: GitCall) => Promise<GitOutput>;

export type GitProgram = GitSettings & {
  /** A name looked up in `PATH`, or a path. */
  readonly gitPath: string;
  /** From SIGTERM to SIGKILL. Default 2 s. */
  readonly graceMs?: number;
  /** The longest that a call may take. Default 60 s. */
  readonly timeoutMs?: number;
};

export function createGit({ gitPath, graceMs, timeoutMs, ...settings }: GitProgram): Git {
  const run = base.gitProgram({
    path: gitPath,
    env: gitEnvironment(settings),
    options: gitOptions(),
    folder: settings.treeFolder,
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return async ({ config = [], ...call }) => {
    const { stdout, complete } = await run({ ...call, options: config.flatMap((entry) => ["-c", entry]) });
    return { stdout, complete };
  };
}
