// A run's hold on a copy: taken, made longer again and again, given back. Fenced like the run: of two workers, only the one
// that took it last may write.
// Why: docs/decisions/088-a-run-works-in-a-copy-by-a-lease.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { CopyHeldRefusal } from "../refusals.ts";
import { COPY_HOLD_MS, type Copy, type Holder, holderOf } from "./copy.ts";

const RENEW_MS = 15_000;
/** A worker that was stopped may still be saving, or have died. */
const WAIT_MS = COPY_HOLD_MS + 10_000;
const ASK_AGAIN_MS = 500;

type CopyGoneRefusal = { readonly reason: "copy_gone"; readonly copyId: string };
export type HoldRefusal = CopyHeldRefusal | CopyGoneRefusal;

/** Another worker has the copy, or it was not held in time: nothing may be written any more. */
export type HoldLostRefusal = { readonly reason: "hold_lost"; readonly copyId: string };

/** Waits while another run has the copy, as long as that one can live without a word. Rejects with the signal's reason. */
export async function takeCopy(
  core: Core,
  { workspaceId, copyId, holder }: { workspaceId: string; copyId: string; holder: Holder },
  signal: AbortSignal,
): Promise<Result<Copy, HoldRefusal>> {
  const { clock } = core;
  const begunAt = clock.monotonic();
  for (;;) {
    signal.throwIfAborted();
    const taken = await core.store.transact((tx) => hold(tx, { workspaceId, copyId, holder }));
    const mayWait = !taken.ok && taken.refusal.reason === "copy_held";
    if (!mayWait || clock.monotonic() - begunAt > WAIT_MS) return taken;
    await clock.sleep(ASK_AGAIN_MS, signal).catch(() => {});
  }
}

async function hold(
  tx: StoreTransaction,
  { workspaceId, copyId, holder }: { workspaceId: string; copyId: string; holder: Holder },
): Promise<Result<Copy, HoldRefusal>> {
  const copy = await tx.copies.lock(copyId);
  if (copy === null || copy.workspaceId !== workspaceId || copy.state !== "ready")
    return refused({ reason: "copy_gone", copyId });
  const holds = holderOf(copy);
  const isLater = holds?.runId === holder.runId && holds.fence <= holder.fence;
  if (holds !== null && !isLater) return refused({ reason: "copy_held", copyId, runId: holds.runId });
  await tx.copies.hold(copyId, holder);
  return ok({ ...copy, hold: { ...holder, hasExpired: false } });
}

/** Keeps a copy until it is ended. */
export class CopyLease {
  readonly #core: Core;
  readonly #copyId: string;
  readonly #holder: Holder;
  readonly #ended = new AbortController();
  readonly #renewing: Promise<void>;

  constructor(core: Core, { copyId, holder }: { copyId: string; holder: Holder }) {
    this.#core = core;
    this.#copyId = copyId;
    this.#holder = holder;
    this.#renewing = this.#renew();
  }

  /** Leaves the copy to the run's next worker. Safe to repeat. */
  async leave(): Promise<void> {
    this.#ended.abort();
    await this.#renewing;
  }

  /** Gives the copy back. Safe to repeat. */
  async end(): Promise<void> {
    await this.leave();
    await this.#core.store.transact((tx) => tx.copies.release(this.#copyId, this.#holder));
  }

  async #renew(): Promise<void> {
    const { clock, log, store } = this.#core;
    for (;;) {
      await clock.sleep(RENEW_MS, this.#ended.signal).catch(() => {});
      if (this.#ended.signal.aborted) return;
      const about = { run_id: this.#holder.runId, copy_id: this.#copyId };
      try {
        const isOurs = await store.transact((tx) => tx.copies.renewHold(this.#copyId, this.#holder));
        if (isOurs) continue;
        log.warn(about, "the hold on a copy is lost: what the run changes there from now on is not kept");
        return;
      } catch (cause) {
        log.warn({ ...about, err: cause }, "the hold on a copy could not be renewed");
      }
    }
  }
}

/** The copy, locked, while the holder has it: also when it was silent for too long, and nobody has taken the copy since. */
export async function lockHeld(
  tx: StoreTransaction,
  { copyId, holder }: { copyId: string; holder: Holder },
): Promise<Result<Copy, HoldLostRefusal>> {
  const copy = await tx.copies.lock(copyId);
  const held = copy?.hold;
  const isOurs = held?.runId === holder.runId && held.fence === holder.fence;
  return copy !== null && isOurs ? ok(copy) : refused({ reason: "hold_lost", copyId });
}
