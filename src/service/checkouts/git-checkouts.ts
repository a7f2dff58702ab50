// The checkout port over the system's git: one folder a run, removed at the end of the run. A commit that its job has sent
// comes from packs, any other from a clone.

import { resolve } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Git } from "../../base/git/git.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { isCommitTrusted } from "../../contract/ci/events.ts";
import type {
  Checkout,
  CheckoutProvider,
  CheckoutRefusal,
  CheckoutSource,
} from "../core/checkouts/checkout.ts";
import { StorageFullError } from "../core/ports/storage-full.ts";
import { type Cloned, cloneCommit } from "./clone.ts";
import type { CloneLimits } from "./clone-limits.ts";
import { describe, refusalOf } from "./clone-refusal.ts";
import { checkCloneUrl, isObjectName } from "./clone-url.ts";
import { startWithin } from "./cpu-bound.ts";
import { isFullDisk, sayingFull } from "./full-disk.ts";
import { gitCheckout } from "./git-checkout.ts";
import { openHeld } from "./packs/open-held.ts";
import type { PackCache } from "./packs/pack-cache.ts";
import type { PackLimits } from "./packs/pack-limits.ts";
import type { GitRemotes } from "./remotes/git-remotes.ts";
import { RemoteRefusedError } from "./remotes/remote-refusal.ts";
import { makeRunFolder, type RunFolder, removeFolder } from "./run-folder.ts";
import { gitOf, type RunGitOptions, withoutRepository } from "./run-git.ts";

/** A clone has a deadline of its own, whose message says more. */
const PAST_DEADLINE_MS = 60_000;
const NOT_HELD =
  "it is not public, and the commit that its job sent is not held any more; run the job again, which sends it again";

type GitCheckoutsOptions = RunGitOptions & {
  readonly limits: CloneLimits;
  readonly clock?: Clock;
  /** Packs that jobs have sent. Default: this process keeps none. */
  readonly packs?: { readonly cache: PackCache; readonly limits: PackLimits } | null;
  /** Access that the owners of agents chose. Default: nothing is fetched with a credential. */
  readonly remotes?: Pick<GitRemotes, "open"> | null;
};

/** Opens checkouts from packs, or by shallow clones: of public repositories over https (plain http on loopback only) without credentials. */
export function gitCheckouts(options: GitCheckoutsOptions): CheckoutProvider {
  const settings = { ...options, folder: resolve(options.folder) };
  return {
    open: (source, signal) => sayingFull(settings.folder, () => openCheckout(settings, { source, signal })),
    ...withoutRepository(settings),
  };
}

async function openCheckout(
  options: GitCheckoutsOptions,
  { source, signal }: { source: CheckoutSource; signal: AbortSignal },
): Promise<Result<Checkout, CheckoutRefusal>> {
  signal.throwIfAborted();
  if (!isObjectName(source.sha)) {
    const detail = describe(source, "the commit is not named by 40 or 64 hexadecimal digits");
    return refused({ reason: "clone_refused", detail });
  }
  const fetching = fetchingOf(options, source);
  if (!fetching.ok) return fetching;
  const folder = await makeRunFolder(options.folder, source.runId, source.earlierFolder);
  try {
    const gitTimeoutMs = options.limits.cloneTimeoutMs + PAST_DEADLINE_MS;
    const { maxCpuSeconds: cpuSeconds } = options.limits;
    const startedBy = await startWithin(options.environment, { cpuSeconds });
    const { files, base } = await fetching.value({
      git: gitOf({ ...options, gitTimeoutMs, startedBy }, folder),
      folder,
      signal,
    });
    signal.throwIfAborted();
    const git = gitOf(options, folder);
    const isTrusted = isCommitTrusted(source);
    return ok(gitCheckout({ git, folder, source, isTrusted, base, ...files, signal }));
  } catch (cause) {
    const isFull = await isFullDisk(cause, folder.path);
    await removeFolder(folder.path);
    signal.throwIfAborted();
    if (isFull) throw new StorageFullError(cause);
    return refused(refusalOf(cause, source, options.limits));
  }
}

type Fetching = (into: { git: Git; folder: RunFolder; signal: AbortSignal }) => Promise<Cloned>;

/** The way in which the commit gets into the run's folder. What is not public is never cloned without a credential that its owner chose. */
function fetchingOf(
  { packs = null, remotes = null, limits, clock = systemClock }: GitCheckoutsOptions,
  source: CheckoutSource,
): Result<Fetching, CheckoutRefusal> {
  const { held } = source;
  if (held !== undefined && packs !== null) {
    return ok(({ git, folder, signal }) =>
      openHeld({ ...packs, git, gitFolder: folder.git, source, held, clock, signal }),
    );
  }
  const { remote } = source;
  if (remote !== undefined && remotes !== null) {
    return ok(async ({ git, folder, signal }) => {
      const opened = await remotes.open(remote, signal);
      if (!opened.ok) throw new RemoteRefusedError(opened.refusal.detail);
      const { target, env, close } = opened.value;
      try {
        return await cloneCommit({ git, gitFolder: folder.git, target, env, source, limits, clock, signal });
      } finally {
        await close();
      }
    });
  }
  if (source.visibility !== "public") {
    return refused({ reason: "commit_missing", detail: describe(source, NOT_HELD) });
  }
  const target = checkCloneUrl(source.cloneUrl);
  if ("fault" in target) return refused({ reason: "clone_refused", detail: describe(source, target.fault) });
  return ok(({ git, folder, signal }) =>
    cloneCommit({ git, gitFolder: folder.git, target, source, limits, clock, signal }),
  );
}
