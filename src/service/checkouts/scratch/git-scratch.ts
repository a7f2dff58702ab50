// Merges, diffs and bundles of objects that are stored elsewhere: for each call a scratch repository, and the system's git.

import { resolve } from "node:path";
import { type Clock, systemClock } from "../../../base/clock.ts";
import { GitError } from "../../../base/git/git.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { type GitScratch, ScratchError, type ScratchRefusal } from "../../core/checkouts/git-scratch.ts";
import { removeFolder, removeLeftOvers } from "../run-folder.ts";
import { Turns } from "../turns.ts";
import { diffTrees } from "./diff-trees.ts";
import { mergeTrees } from "./merge-trees.ts";
import { PackBoundError } from "./pack-writer.ts";
import {
  makeScratchRepository,
  type ScratchLimits,
  type ScratchPlace,
  type ScratchWork,
} from "./scratch-repository.ts";
import { writeBundle } from "./write-bundle.ts";

export type ScratchOptions = ScratchPlace & {
  /** Of a merge or a diff. */
  readonly limits: ScratchLimits;
  readonly bundleLimits: ScratchLimits;
  /** Calls that work at a time on this machine. */
  readonly maxWorking: number;
  readonly maxWaiting: number;
  readonly clock?: Clock;
};

type SweptScratch = GitScratch & {
  /** Removes what an earlier process left. Called once, before the first use. */
  sweep(): Promise<void>;
};

/** The end of a call that takes too long. */
class PastDeadline extends Error {
  override readonly name = "PastDeadline";
}

export function gitScratch(options: ScratchOptions): SweptScratch {
  const { limits, bundleLimits, maxWorking, maxWaiting, clock = systemClock } = options;
  const place = { ...options, folder: resolve(options.folder) };
  const turns = new Turns({ working: maxWorking, waiting: maxWaiting });

  async function inTurn<Value>(
    call: { readonly name: string; readonly limits: ScratchLimits; readonly signal: AbortSignal },
    work: (work: ScratchWork) => Promise<Value>,
  ): Promise<Result<Value, ScratchRefusal>> {
    if ((await turns.take(call.signal)) !== null) {
      return refused({ reason: "overloaded", what: "merges", allowed: maxWaiting });
    }
    try {
      return ok(await withinDeadline(call, (signal) => inRepository({ ...call, signal }, work)));
    } catch (cause) {
      call.signal.throwIfAborted();
      const refusal = refusalOf(cause, call.limits);
      if (refusal === null) throw asScratchError(cause);
      return refused(refusal);
    } finally {
      turns.giveBack();
    }
  }

  async function inRepository<Value>(
    call: { readonly name: string; readonly limits: ScratchLimits; readonly signal: AbortSignal },
    work: (work: ScratchWork) => Promise<Value>,
  ): Promise<Value> {
    const repository = await makeScratchRepository(place, { ...call, timeoutMs: call.limits.timeoutMs });
    let isKept = false;
    const keep = () => {
      isKept = true;
      return () => removeFolder(repository.folder.path);
    };
    try {
      return await work({ ...repository, ...call, keep });
    } catch (cause) {
      isKept = false;
      throw cause;
    } finally {
      if (!isKept) await removeFolder(repository.folder.path);
    }
  }

  async function withinDeadline<Value>(
    call: { readonly limits: ScratchLimits; readonly signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const passed = new AbortController();
    const finished = new AbortController();
    const deadline = clock.sleep(call.limits.timeoutMs, finished.signal).then(
      () => passed.abort(new PastDeadline()),
      () => {},
    );
    try {
      return await work(AbortSignal.any([call.signal, passed.signal]));
    } finally {
      finished.abort();
      await deadline;
    }
  }

  return {
    merge: (request, signal) =>
      inTurn({ name: "merge", limits, signal }, (work) => mergeTrees(work, request)),
    diff: (request, signal) => inTurn({ name: "diff", limits, signal }, (work) => diffTrees(work, request)),
    bundle: (request, signal) =>
      inTurn({ name: "bundle", limits: bundleLimits, signal }, (work) => writeBundle(work, request)),
    sweep: () => removeLeftOvers(place.folder),
  };
}

/** Null for a fault. */
function refusalOf(cause: unknown, { timeoutMs }: ScratchLimits): ScratchRefusal | null {
  if (cause instanceof PackBoundError) {
    return { reason: "scratch_too_large", what: cause.what, allowed: cause.allowed };
  }
  const isLate =
    cause instanceof PastDeadline || (cause instanceof GitError && cause.code === "git_timed_out");
  return isLate ? { reason: "scratch_timed_out", allowedMs: timeoutMs } : null;
}

function asScratchError(cause: unknown): unknown {
  if (!(cause instanceof GitError) || cause.code !== "git_failed") return cause;
  const message = "Git could not use the objects that it was given: one is missing or malformed.";
  return new ScratchError(message, { cause });
}
