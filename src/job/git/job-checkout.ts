// The job's own checkout, opened for git: a home for git's processes, and a folder for temporary files.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { type FoundCheckout, readCheckout } from "../../base/git/found-checkout.ts";
import type { Git } from "../../base/git/git.ts";
import { jobGit } from "./job-git.ts";

/** The place where git works. */
export type GitWorkplace = {
  readonly home: string;
  /** For git folders of our own, in which nothing but our configuration counts. Removed after the work. */
  readonly folder: string;
};

export type JobCheckout = GitWorkplace & {
  readonly found: FoundCheckout;
  /** Of the checkout: its configuration counts here, so that these calls reach no server and see no token. */
  readonly git: Git;
};

export type JobCheckoutPlace = {
  readonly env: Environment;
  /** The checkout's tree. */
  readonly root: string;
  readonly tempFolder: string;
  readonly signal: AbortSignal;
};

/** Calls with null where there is no checkout. Rejects as the work does, and with GitError when git does not start. */
export async function withJobCheckout<Value>(
  { env, root, tempFolder, signal }: JobCheckoutPlace,
  work: (checkout: JobCheckout | null, place: GitWorkplace) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tempFolder, "agent-service-git-"));
  try {
    const home = join(folder, "home");
    await mkdir(home);
    const found = await readCheckout({ root, home, environment: env }, signal);
    if (found === null) return await work(null, { home, folder });
    const git = jobGit({ env, home, gitFolder: join(root, ".git"), treeFolder: root });
    return await work({ found, git, home, folder }, { home, folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
