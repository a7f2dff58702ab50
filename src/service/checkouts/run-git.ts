// What every provider of checkouts does alike: the git of a run's folder, a checkout without a repository, the sweep.

import type { CheckoutProvider } from "../core/ports/checkout.ts";
import { openEmptyCheckout } from "./empty-checkout.ts";
import { createGit, type Git } from "./git-process.ts";
import { makeRunFolder, type RunFolder, removeLeftOvers } from "./run-folder.ts";

export type RunGitOptions = {
  /** Where the folders of runs lie. Made when missing; belongs to one service process. */
  readonly folder: string;
  /** Variables of which git gets `PATH`, the proxies and the certificates; everything else stays here. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A name looked up in `PATH`, or a path. Default "git". */
  readonly gitPath?: string;
  /** The longest that one call of git may take, a clone apart. Default 60 s. */
  readonly gitTimeoutMs?: number;
};

export function gitOf(options: RunGitOptions, folder: Pick<RunFolder, "git" | "home" | "tree">): Git {
  const { environment, gitPath = "git", gitTimeoutMs } = options;
  return createGit({
    environment,
    gitPath,
    gitFolder: folder.git,
    treeFolder: folder.tree,
    home: folder.home,
    ...(gitTimeoutMs === undefined ? {} : { timeoutMs: gitTimeoutMs }),
  });
}

export function withoutRepository(options: RunGitOptions): Pick<CheckoutProvider, "openEmpty" | "sweep"> {
  return {
    openEmpty: async ({ runId }, signal) => {
      signal.throwIfAborted();
      const folder = await makeRunFolder(options.folder, runId);
      return await openEmptyCheckout({ git: gitOf(options, folder), folder, signal });
    },
    sweep: () => removeLeftOvers(options.folder),
  };
}
