// Answers git's own clients, with the system's git: so many at a time, of an account and of all.
// Why: docs/decisions/182-workspaces-are-git-servers.md

import { join, resolve } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { ok, refused } from "../../../base/result.ts";
import type { GitService, ServeRefusal } from "../../core/checkouts/git-service.ts";
import { packFaultOf } from "../packs/pack-fault.ts";
import { costLimits, type PackLimits } from "../packs/pack-limits.ts";
import { uploadTurns } from "../packs/upload-turns.ts";
import { PackBoundError } from "../scratch/pack-writer.ts";
import type { ScratchPlace } from "../scratch/scratch-repository.ts";
import { Turns } from "../turns.ts";
import { type ObjectFolderLimits, ObjectFolders } from "./object-folders.ts";
import { receivePush } from "./receive-push.ts";
import { type ServedFetch, serveFetch } from "./serve-fetch.ts";

export type GitServiceLimits = {
  readonly objects: ObjectFolderLimits;
  /** Of one fetch, once its objects are there. */
  readonly fetchTimeoutMs: number;
  readonly maxFetches: number;
  readonly maxWaitingFetches: number;
  readonly maxFetchesOfAccount: number;
  readonly maxWaitingFetchesOfAccount: number;
  /** Of a push: `maxBytes` of its pack, and of what git stores for it. */
  readonly push: PackLimits;
};

type GitServiceOptions = ScratchPlace & { readonly limits: GitServiceLimits; readonly clock: Clock };

/** `folder` belongs to this process. */
export function gitService(options: GitServiceOptions): GitService {
  const { limits, clock } = options;
  const folder = resolve(options.folder);
  const place = { ...options, folder: join(folder, "calls") };
  const folders = new ObjectFolders({ folder: join(folder, "objects"), limits: limits.objects, clock });
  const turns = new Turns({ working: limits.maxFetches, waiting: limits.maxWaitingFetches });
  const pushes = uploadTurns({ limits: limits.push, clock });
  return {
    serve: async (request, signal) => {
      const { accountId } = request.repository;
      const share = {
        name: `account ${accountId}`,
        working: limits.maxFetchesOfAccount,
        waiting: limits.maxWaitingFetchesOfAccount,
      };
      const full = await turns.take(signal, [share]);
      if (full !== null) {
        const isOfAccount = full === share.name;
        return refused({
          reason: "overloaded",
          what: isOfAccount ? "account_fetches" : "fetches",
          allowed: isOfAccount ? share.working + share.waiting : limits.maxWaitingFetches,
        });
      }
      const giveBack = () => turns.giveBack([share]);
      try {
        const serving = { place, folders, timeoutMs: limits.fetchTimeoutMs };
        return ok(closedAfter(await serveFetch(serving, request, signal), giveBack, signal));
      } catch (cause) {
        giveBack();
        signal.throwIfAborted();
        const refusal = refusalOf(cause);
        if (refusal === null) throw cause;
        return refused(refusal);
      }
    },
    sweep: () => folders.forgetOld(),
    receive: async (push, take, signal) => {
      const { workspaceId, accountId } = push.repository;
      const whose = { repository: workspaceId, owner: accountId, signal };
      return await pushes.within(whose, async () => {
        try {
          return ok(await receivePush({ place, folders, limits: limits.push, clock }, push, take, signal));
        } catch (cause) {
          signal.throwIfAborted();
          const refusal =
            refusalOf(cause) ?? packFaultOf(cause, costLimits(limits.push, limits.push.maxBytes));
          if (refusal === null) throw cause;
          return refused(refusal);
        }
      });
    },
  };
}

/** Once it was read, or left, or when the client has gone away before. */
function closedAfter(
  { output, close }: ServedFetch,
  giveBack: () => void,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  let closing: Promise<void> | null = null;
  const end = () => {
    closing ??= close().finally(giveBack);
    return closing;
  };
  const abort = () => void end().catch(() => {});
  signal.addEventListener("abort", abort, { once: true });
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* output;
      } finally {
        signal.removeEventListener("abort", abort);
        await end();
      }
    },
  };
}

function refusalOf(cause: unknown): ServeRefusal | null {
  if (!(cause instanceof PackBoundError)) return null;
  return { reason: "served_too_large", what: cause.what, allowed: cause.allowed };
}
