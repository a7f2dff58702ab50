// Requests that an idempotency key makes one, however often they arrive within 24 hours.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { KEY_KEPT_MS } from "./key-life.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "./refusals.ts";
import { hashRequest, isSameRequest } from "./request-hash.ts";
import type { RequestKeyReader } from "./store-port.ts";

type KeyedRequest = {
  /** The family of routes and what the request is about: `copies <workspaceId>`. The account is added. */
  readonly scope: string;
  readonly accountId: string;
  /** Null: the request has none, and is done each time. */
  readonly key: string | null;
  /** All that makes two requests the same, as JSON. */
  readonly request: unknown;
};

/** The thing that a request made: `isReplay` where an earlier one with the same key did. */
type Made = { readonly subjectId: string; readonly isReplay: boolean };

/** A key, for one request. Null: the request has none. */
export type KeyUse = { readonly scope: string; readonly key: string; readonly requestHash: string } | null;

export function keyUseOf({ scope, accountId, key, request }: KeyedRequest): KeyUse {
  if (key === null) return null;
  return { scope: `${accountId} ${scope}`, key, requestHash: hashRequest(request) };
}

/** The thing that an earlier request with the key made; null where there was none. Refused where it was another request. */
export async function earlierUse(
  { requestKeys }: { readonly requestKeys: RequestKeyReader },
  use: KeyUse,
  now: number,
): Promise<Result<string | null, KeyReusedRefusal>> {
  const earlier = use === null ? null : await requestKeys.find({ scope: use.scope, key: use.key, now });
  if (use === null || earlier === null) return ok(null);
  if (!isSameRequest(earlier.requestHash, use.requestHash))
    return refused({ reason: "key_reused", key: use.key });
  return ok(earlier.subjectId);
}

/** False where another request took the key meanwhile: the transaction is then to be undone. */
export async function keepUse(
  core: Core,
  tx: StoreTransaction,
  { use, subjectId }: { readonly use: KeyUse; readonly subjectId: string },
): Promise<boolean> {
  const now = core.clock.now();
  return (
    use === null || (await tx.requestKeys.insert({ ...use, subjectId, now, expiresAt: now + KEY_KEPT_MS }))
  );
}

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
  keyed: KeyedRequest,
  work: (tx: StoreTransaction) => Promise<Result<string, Refusal>>,
): Promise<Result<Made, Refusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const use = keyUseOf(keyed);
  try {
    return await core.store.transact(async (tx) => {
      const earlier = await earlierUse(tx, use, core.clock.now());
      if (!earlier.ok) return earlier;
      if (earlier.value !== null) return ok({ subjectId: earlier.value, isReplay: true });
      const made = await work(tx);
      if (!made.ok) throw new WorkRefusedError(made.refusal);
      const subjectId = made.value;
      if (!(await keepUse(core, tx, { use, subjectId }))) throw new KeyTakenError();
      return ok({ subjectId, isReplay: false });
    });
  } catch (cause) {
    if (cause instanceof WorkRefusedError) return refused(cause.refusal as Refusal);
    if (cause instanceof KeyTakenError && use !== null)
      return refused({ reason: "key_in_flight", key: use.key });
    throw cause;
  }
}
