// Whose pack is checked next: one of a repository at a time, and no owner takes all turns. Who waits is not read from.
// Why: docs/decisions/103-what-a-pack-may-unfold-to.md

import type { Clock } from "../../../base/clock.ts";
import { type Result, refused } from "../../../base/result.ts";
import type { IncomingPack, PackRefusal } from "../../core/commits/pack-receiver.ts";
import { type Share, Turns } from "../turns.ts";
import type { PackLimits } from "./pack-limits.ts";

type Whose = Pick<IncomingPack, "repository" | "owner" | "signal">;
type Overload = Extract<PackRefusal, { readonly reason: "overloaded" }>;

type UploadTurns = {
  /** Refuses where too many wait already, and where its turn does not come in time. */
  within<Value, Refusal>(
    whose: Whose,
    work: () => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal | Overload>>;
};

/** The turn of this one did not come. */
class WaitedTooLong extends Error {}

export function uploadTurns({
  limits,
  clock,
}: {
  readonly limits: PackLimits;
  readonly clock: Clock;
}): UploadTurns {
  const turns = new Turns({ working: limits.maxUploads, waiting: limits.maxWaitingUploads });
  const sharesOf = ({ repository, owner }: Whose): readonly [repository: Share, owner: Share] => {
    const waiting = limits.maxWaitingUploadsOfOwner;
    return [
      { name: `repository ${repository}`, working: 1, waiting },
      { name: `owner ${owner}`, working: limits.maxUploadsOfOwner, waiting },
    ];
  };

  async function take(whose: Whose, shares: readonly Share[]): Promise<string | null> {
    const late = new AbortController();
    const taken = new AbortController();
    const wait = clock.sleep(limits.uploadWaitMs, taken.signal).then(
      () => late.abort(new WaitedTooLong()),
      () => {},
    );
    try {
      return await turns.take(AbortSignal.any([whose.signal, late.signal]), shares);
    } catch (cause) {
      if (cause instanceof WaitedTooLong) return turns.fullest(shares);
      throw cause;
    } finally {
      taken.abort();
      await wait;
    }
  }

  return {
    within: async (whose, work) => {
      const shares = sharesOf(whose);
      const full = await take(whose, shares);
      if (full !== null) return refused(overloadOf(full, { shares, limits }));
      try {
        return await work();
      } finally {
        turns.giveBack(shares);
      }
    },
  };
}

function overloadOf(
  full: string,
  {
    shares: [repository, owner],
    limits,
  }: { readonly shares: readonly [Share, Share]; readonly limits: PackLimits },
): Overload {
  const reason = "overloaded";
  switch (full) {
    case owner.name:
      return { reason, what: "owner_uploads", allowed: owner.working };
    case repository.name:
      return { reason, what: "repository_uploads", allowed: repository.working };
    default:
      return { reason, what: "uploads", allowed: limits.maxUploads };
  }
}
