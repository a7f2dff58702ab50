// The changes that a session carries from run to run: restored when a run starts, reported and stored when it ends.

import type { RunEvent } from "../../contract/runs/run-event.ts";
import type { Checkout } from "../core/checkouts/checkout.ts";
import type { Core } from "../core/core.ts";
import type { RunRecord } from "../core/runs/run-record.ts";
import type { CarriedState } from "./backend.ts";
import type { SecretMask } from "./secret-mask.ts";

/** Applies the changes of the session's last run to the tree. */
export async function restoreChanges(
  core: Core,
  { run, checkout }: { run: RunRecord; checkout: Checkout },
): Promise<CarriedState> {
  const copy = await core.store.committed.sessions.findCarriedChanges(run.sessionId);
  if (copy === null || copy.patch === "") return { state: "fresh" };
  const restored = await checkout.restore(copy.patch);
  if (restored.ok) return { state: "restored" };
  const { reason, paths } = restored.refusal;
  core.log.info({ run_id: run.id, left_by: copy.runId, reason }, "carried changes do not apply any more");
  return { state: "lost", paths };
}

/** The same without a change to the tree: whether there are some. */
export async function carriedStateOf(core: Core, run: RunRecord): Promise<CarriedState> {
  const copy = await core.store.committed.sessions.findCarriedChanges(run.sessionId);
  return copy === null || copy.patch === "" ? { state: "fresh" } : { state: "restored" };
}

/** No changes are carried. */
export const fresh: CarriedState = { state: "fresh" };

export type ChangesOptions = {
  readonly run: RunRecord;
  readonly checkout: Checkout;
  readonly copy: CarriedState;
  readonly secrets: SecretMask;
  /** Whether the session's next run continues from there. */
  readonly carry: "store" | "discard";
  /** Ends the reading of a stopped run's changes. Default: the run's own signal. */
  readonly signal?: AbortSignal;
};

/**
 * Returns the event that lists the tree's changes, and stores them for the session's next run; null where
 * nothing is changed, nor was before. Known secrets are masked in both. Changes that cannot be read are not stored: the next run
 * starts where this one did.
 */
export async function reportChanges(
  core: Core,
  { run, checkout, copy, secrets, carry, signal }: ChangesOptions,
): Promise<RunEvent | null> {
  const { baseSha, files, patch, heldBack, unreadable } = secrets.applyWithin(
    await checkout.workingChanges(signal),
  );
  if (unreadable !== undefined) {
    core.log.warn({ run_id: run.id, why: unreadable }, "changes could not be read");
    const value = { base_sha: baseSha, files: [], patch: "", unreadable };
    return { type: "CUSTOM", name: "repository.changes", value };
  }
  const isUntouched = files.length === 0 && heldBack.length === 0;
  if (isUntouched && copy.state === "fresh") return null;
  if (carry === "store") {
    await core.store.transact((tx) =>
      tx.sessions.putCarriedChanges({ sessionId: run.sessionId, runId: run.id, baseSha, patch }),
    );
  }
  const value = {
    base_sha: baseSha,
    files: [...files],
    patch,
    ...(heldBack.length === 0 ? {} : { held_back: [...heldBack] }),
  };
  return { type: "CUSTOM", name: "repository.changes", value };
}
