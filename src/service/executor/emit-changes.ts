// Reports the changes of a run, also where it was stopped: then for as long as its backend may take to end.

import type { Core } from "../core/core.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import { type ChangesOptions, reportChanges } from "./carried-changes.ts";
import type { EventWriter } from "./event-writer.ts";
import type { HeldCheckout } from "./held-checkout.ts";
import type { SecretMask } from "./secret-mask.ts";
import { RunStopped, type StopKind } from "./stop-reason.ts";

export type ChangedWork = {
  readonly core: Core;
  readonly taken: TakenRun;
  readonly writer: EventWriter;
  readonly secrets: SecretMask;
  readonly signal: AbortSignal;
  readonly isOver: AbortSignal;
};

/** Also for a failed run: the session may continue from there. A stopped run's are reported where its backend ends in time. */
export async function emitChanges(
  { core, taken, writer, secrets, signal, isOver }: ChangedWork,
  {
    held,
    isKept = false,
    ...left
  }: Pick<ChangesOptions, "checkout" | "copy"> & {
    readonly held: HeldCheckout;
    /** They are kept elsewhere: the session carries none. */
    readonly isKept?: boolean;
  },
): Promise<void> {
  const { run } = taken;
  const emit = async (how: Pick<ChangesOptions, "carry" | "signal">) => {
    const carry = isKept ? "discard" : how.carry;
    const changes = await reportChanges(core, { ...left, ...how, carry, run, secrets });
    if (changes !== null) await writer.emit(changes);
  };
  if (!signal.aborted) return await emit({ carry: "store" });
  const stop = signal.reason instanceof RunStopped ? stopped[signal.reason.kind] : null;
  if (stop === null) return;
  const { carry, withinMs } = stop;
  const isDone = new AbortController();
  const late = new AbortController();
  const giveUp = () => late.abort();
  void core.clock.sleep(withinMs, AbortSignal.any([isOver, isDone.signal])).then(giveUp, giveUp);
  try {
    if (await held.isFreeBefore(late.signal)) await emit({ carry, signal: late.signal });
  } catch (cause) {
    core.log.warn({ run_id: run.id, err: cause }, "changes of a stopped run could not be reported");
  } finally {
    isDone.abort();
  }
}

type StoppedChanges = { readonly withinMs: number; readonly carry: ChangesOptions["carry"] };

/** The time that a stopped run waits for its backend, to report its changes. Null: not at all. */
const stopped: Readonly<Record<StopKind, StoppedChanges | null>> = {
  time_limit: { withinMs: 30_000, carry: "store" },
  // Whoever cancels waits for the end, and does not ask for more of the same.
  cancel: { withinMs: 500, carry: "discard" },
  handover: null,
  shutdown: null,
  lost: null,
  sandbox_lost: null,
};
