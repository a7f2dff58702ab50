// Shared parts of all providers of checkouts: the git of a run's folder, the checkout without a repository, the sweep.

import { createGit, type Git } from "../../base/git/git.ts";
import type { CheckoutProvider } from "../core/checkouts/checkout.ts";
import { openEmptyCheckout } from "./empty-checkout.ts";
import { sayingFull } from "./full-disk.ts";
import { makeRunFolder, type RunFolder, removeLeftOvers } from "./run-folder.ts";

/** A delta that unfolds to more than this ends the fetch: the memory is that of every account's runs. */
const LARGEST_ALLOCATION = "512m";

export type RunGitOptions = {
  /** The folder of all runs' folders. Made when missing; belongs to one service process. */
  readonly folder: string;
  /** Variables of which git gets `PATH`, the proxies and the certificates, and nothing else. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A name looked up in `PATH`, or a path. Default "git". */
  readonly gitPath?: string;
  /** The timeout of one call of git, other than a clone. Default 60 s. */
  readonly gitTimeoutMs?: number;
};

/** The program that bounds git's processor time; null where there is none. */
type Bounded = { readonly startedBy?: readonly [program: string, ...options: string[]] | null };

export function gitOf(
  options: RunGitOptions & Bounded,
  folder: Pick<RunFolder, "git" | "home" | "tree">,
): Git {
  const { environment, gitPath, gitTimeoutMs, startedBy = null } = options;
  return createGit({
    environment,
    maxAllocation: LARGEST_ALLOCATION,
    config: ["core.symlinks=true"],
    gitFolder: folder.git,
    treeFolder: folder.tree,
    home: folder.home,
    ...(gitPath === undefined ? {} : { gitPath }),
    ...(gitTimeoutMs === undefined ? {} : { timeoutMs: gitTimeoutMs }),
    ...(startedBy === null ? {} : { startedBy }),
  });
}

export function withoutRepository(options: RunGitOptions): Pick<CheckoutProvider, "openEmpty" | "sweep"> {
  return {
    openEmpty: async ({ runId, earlierFolder }, signal) => {
      signal.throwIfAborted();
      return await sayingFull(options.folder, async () => {
        const folder = await makeRunFolder(options.folder, runId, earlierFolder);
        return await openEmptyCheckout({ git: gitOf(options, folder), folder, signal });
      });
    },
    sweep: () => removeLeftOvers(options.folder),
  };
}
