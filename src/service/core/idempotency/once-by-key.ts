// Requests that an idempotency key makes one, however often they arrive within 24 hours.

import { hash } from "node:crypto";
import { canonicalJson } from "../../../base/canonical-json.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "./refusals.ts";

const KEPT_MS = 24 * 60 * 60 * 1000;

export type KeyedRequest = {
  /** The family of routes and what the request is about: `copies <workspaceId>`. The account is added. */
  readonly scope: string;
  readonly accountId: string;
  /** Null: the request has none, and is done each time. */
  readonly key: string | null;
  /** All that makes two requests the same, as JSON. */
  readonly request: unknown;
};

/** What a request made: `isReplay` where an earlier one with the same key did. */
export type Made = { readonly subjectId: string; readonly isReplay: boolean };

/** Another request took the key after it was read: everything is undone. */
class KeyTakenError extends Error {}
/** The work was refused: nothing is written, the use of the key neither. */
class WorkRefusedError extends Error {
  readonly refusal: unknown;

  constructor(refusal: unknown) {
    super("The work was refused.");
    this.refusal = refusal;
  }
}

/**
 * Does `work` in one transaction with the use of its key, and returns the id of what it made. A key that was used for the same
 * request returns what that one made, for another request it is refused. A refusal of the work undoes all of it.
 */
export async function onceByKey<Refusal>(
  core: Core,
  { scope, accountId, key, request }: KeyedRequest,
  work: (tx: StoreTransaction) => Promise<Result<string, Refusal>>,
): Promise<Result<Made, Refusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const use = key === null ? null : { scope: `${accountId} ${scope}`, key };
  const requestHash = hash("sha256", canonicalJson(request));
  try {
    return await core.store.transact(async (tx) => {
      const now = core.clock.now();
      const earlier = use === null ? null : await tx.requestKeys.find({ ...use, now });
      if (earlier !== null && use !== null) {
        if (earlier.requestHash !== requestHash)
          return refused({ reason: "key_reused" as const, key: use.key });
        return ok({ subjectId: earlier.subjectId, isReplay: true });
      }
      const made = await work(tx);
      if (!made.ok) throw new WorkRefusedError(made.refusal);
      const subjectId = made.value;
      if (use !== null) {
        const expiresAt = now + KEPT_MS;
        if (!(await tx.requestKeys.insert({ ...use, requestHash, subjectId, now, expiresAt })))
          throw new KeyTakenError();
      }
      return ok({ subjectId, isReplay: false });
    });
  } catch (cause) {
    if (cause instanceof WorkRefusedError) return refused(cause.refusal as Refusal);
    if (cause instanceof KeyTakenError && use !== null)
      return refused({ reason: "key_in_flight", key: use.key });
    throw cause;
  }
}
