// The access token of a run: sealed when it is kept, opened for each request that needs it.

import { type Result, refused } from "../../../base/result.ts";
import { SEAL_NONCE_BYTES, type SealingKeys, seal, unseal } from "../../../base/sealed-text.ts";
import type { Identifiers } from "../../../contract/models/clouds.ts";
import type { FederatingProvider } from "../../../contract/models/providers.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { keptUntil } from "./find-access-fault.ts";

/** The access to a model that a CI job brought. The token itself is in `runSecrets` of the store. */
export type RunModelAccess = {
  readonly provider: FederatingProvider;
  readonly model: string;
  /** The identifiers that the address of the API holds, of a provider that has many. */
  readonly address?: Identifiers;
  /** The run that has the secret: this one, or the one that delegated it. */
  readonly heldBy: string;
  /** When the first token ends. Later ones end later. */
  readonly firstExpiresAt: number;
};

type NewAccess = { readonly runId: string; readonly token: string; readonly expiresAt: number };

/** Keeps a token for a run, unless the kept one ends later. The caller has locked the run, or makes it. */
export async function keepAccess(
  core: Pick<Core, "clock" | "random"> & { readonly secretKeys: SealingKeys },
  tx: StoreTransaction,
  { runId, token, expiresAt }: NewAccess,
): Promise<void> {
  const { clock, random, secretKeys } = core;
  const nonce = random.bytes(SEAL_NONCE_BYTES);
  const sealed = seal(token, { key: secretKeys.current, nonce, boundTo: runId });
  await tx.runSecrets.keep({ runId, sealed, expiresAt: keptUntil(clock.now(), expiresAt) });
}

/** Why a run has no token to use. */
export type AccessLoss =
  /** It ended, and no newer one came. */
  | { readonly reason: "expired"; readonly expiredAt: number }
  /** It is gone with the process that had it in memory. */
  | { readonly reason: "lost" }
  /** This node has not the key that sealed it. */
  | { readonly reason: "key_unknown"; readonly keyId: string }
  | { readonly reason: "unreadable" };

/** The token that a run may use now. */
export async function readAccess(
  core: Pick<Core, "clock" | "store" | "secretKeys">,
  { heldBy, firstExpiresAt }: RunModelAccess,
): Promise<Result<string, AccessLoss>> {
  const { clock, secretKeys: keys } = core;
  const kept = await core.store.transact((tx) => tx.runSecrets.find(heldBy), { isOneWrite: true });
  const now = clock.now();
  if (kept === null) {
    // The sweep has deleted it, or a process took it along.
    return firstExpiresAt <= now
      ? refused({ reason: "expired", expiredAt: firstExpiresAt })
      : refused({ reason: "lost" });
  }
  if (kept.expiresAt <= now) return refused({ reason: "expired", expiredAt: kept.expiresAt });
  if (keys === null) return refused({ reason: "key_unknown", keyId: "none" });
  const token = unseal(kept.sealed, { keys, boundTo: heldBy });
  if (token.ok) return token;
  const { refusal } = token;
  return refused(
    refusal.reason === "key_unknown"
      ? { reason: "key_unknown", keyId: refusal.keyId }
      : { reason: "unreadable" },
  );
}
