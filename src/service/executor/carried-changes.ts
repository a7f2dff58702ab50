// What a session's runs changed in their repository: there again at the beginning of a run, reported and kept at its end.

import type { RunEvent } from "../../contract/runs/run-event.ts";
import type { Core } from "../core/core.ts";
import type { Checkout } from "../core/ports/checkout.ts";
import type { RunRecord } from "../core/records.ts";
import type { CarriedState } from "./backend.ts";

/** Puts what the session's last run left into the tree. */
export async function restoreChanges(
  core: Core,
  { run, checkout }: { run: RunRecord; checkout: Checkout },
): Promise<CarriedState> {
  const copy = await core.store.committed.findCarriedChanges(run.threadId);
  if (copy === null || copy.patch === "") return { state: "fresh" };
  const restored = await checkout.restore(copy.patch);
  if (restored.ok) return { state: "restored" };
  const { reason, paths } = restored.refusal;
  core.log.info({ run_id: run.id, left_by: copy.runId, reason }, "carried changes does not apply any more");
  return { state: "lost", paths };
}

/**
 * Keeps what the tree holds for the session's next run. Returns the event that says what was changed; null where
 * nothing is, nor was. Of what cannot be read nothing is kept: the next run begins where this one did.
 */
export async function keepChanges(
  core: Core,
  { run, checkout, copy }: { run: RunRecord; checkout: Checkout; copy: CarriedState },
): Promise<RunEvent | null> {
  const { baseSha, files, patch, heldBack, unreadable } = await checkout.workingChanges();
  if (unreadable !== undefined) {
    core.log.warn({ run_id: run.id, why: unreadable }, "changes could not be read");
    const value = { base_sha: baseSha, files: [], patch: "", unreadable };
    return { type: "CUSTOM", name: "repository.changes", value };
  }
  const isUntouched = files.length === 0 && heldBack.length === 0;
  if (isUntouched && copy.state === "fresh") return null;
  await core.store.transact((tx) =>
    tx.putCarriedChanges({ sessionId: run.threadId, runId: run.id, baseSha, patch }),
  );
  const value = {
    base_sha: baseSha,
    files: [...files],
    patch,
    ...(heldBack.length === 0 ? {} : { held_back: [...heldBack] }),
  };
  return { type: "CUSTOM", name: "repository.changes", value };
}
