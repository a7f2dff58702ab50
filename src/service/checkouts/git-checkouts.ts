// The checkout port over the system's git: one folder a run, removed at the end of the run.

import { resolve } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { isCommitTrusted } from "../../contract/ci/events.ts";
import type { Checkout, CheckoutProvider, CheckoutRefusal, CheckoutSource } from "../core/ports/checkout.ts";
import { cloneCommit } from "./clone.ts";
import type { CloneLimits } from "./clone-limits.ts";
import { describe, refusalOf } from "./clone-refusal.ts";
import { checkCloneUrl, isObjectName } from "./clone-url.ts";
import { gitCheckout } from "./git-checkout.ts";
import { makeRunFolder, removeFolder } from "./run-folder.ts";
import { gitOf, type RunGitOptions, withoutRepository } from "./run-git.ts";

/** A clone has a deadline of its own, whose message says more. */
const PAST_DEADLINE_MS = 60_000;

export type GitCheckoutsOptions = RunGitOptions & {
  readonly limits: CloneLimits;
  readonly clock?: Clock;
};

/** Opens checkouts by shallow clones over https (plain http on loopback only), without credentials. */
export function gitCheckouts(options: GitCheckoutsOptions): CheckoutProvider {
  const settings = { ...options, folder: resolve(options.folder) };
  return {
    open: (source, signal) => openCheckout(settings, { source, signal }),
    ...withoutRepository(settings),
  };
}

async function openCheckout(
  options: GitCheckoutsOptions,
  { source, signal }: { source: CheckoutSource; signal: AbortSignal },
): Promise<Result<Checkout, CheckoutRefusal>> {
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
    const isTrusted = isCommitTrusted(source);
    return ok(gitCheckout({ git, folder, source, isTrusted, base, unsearched: tree.largeFiles, signal }));
  } catch (cause) {
    await removeFolder(folder.path);
    signal.throwIfAborted();
    return refused(refusalOf(cause, source));
  }
}
