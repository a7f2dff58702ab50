// The keys of the service that sign ID tokens of runs: made, published, rotated and deleted as they are asked for.

import { ok, type Result, refused } from "../../../base/result.ts";
import { SEAL_NONCE_BYTES, seal, unseal } from "../../../base/sealed-text.ts";
import type { Core } from "../core.ts";
import { firstKept, type IdentityKey, missingAt, signedUntil, signerAt } from "./identity-key.ts";
import type { RunIdentityRefusal } from "./refusals.ts";

type IdentityRefusal = Extract<
  RunIdentityRefusal,
  { readonly reason: "run_identity_off" | "run_identity_sealed" }
>;

/** The address that tokens name as their issuer, a path of its own: nobody takes it for the authorization server. */
export function issuerOf(core: Pick<Core, "policy">): string {
  return `${core.policy.baseUrl}/id`;
}

type KeyCore = Pick<Core, "store" | "clock" | "random" | "identity">;

/** Published keys, as JWKs in JSON. Null where the service signs nothing: it has no key that would seal its own. */
export async function publishedKeys(core: KeyCore): Promise<readonly string[] | null> {
  return (await publishedSet(core))?.keys ?? null;
}

/** `goodUntil`: when another key signs, for whoever has uploaded these. */
export type PublishedSet = { readonly keys: readonly string[]; readonly goodUntil: number };

export async function publishedSet(core: KeyCore): Promise<PublishedSet | null> {
  const kept = await currentKeys(core);
  const goodUntil = kept === null ? null : signedUntil(kept);
  if (kept === null || goodUntil === null) return null;
  return { keys: kept.map(({ publicJwk }) => publicJwk), goodUntil };
}

/**
 * Signs claims with the key of this moment. Refused where the service signs nothing, and where another key of the operator has sealed its
 * own.
 */
export async function signClaims(
  core: Core,
  claims: Readonly<Record<string, unknown>>,
): Promise<Result<string, IdentityRefusal>> {
  const { clock, log } = core;
  const { signer: tokenSigner, sealingKeys } = core.identity;
  const keys = await currentKeys(core);
  const signer = keys === null ? null : signerAt(keys, clock.now());
  if (signer === null || sealingKeys === null) return refused({ reason: "run_identity_off" });
  const { kid, sealed } = signer;
  const opened = unseal(sealed, { keys: sealingKeys, boundTo: boundTo(kid) });
  if (opened.ok) return ok(await tokenSigner.sign(claims, { kid, privateJwk: opened.value }));
  log.error({ kid, reason: opened.refusal.reason }, "the key that signs ID tokens of runs cannot be opened");
  return refused({ reason: "run_identity_sealed" });
}

/** Those that are published. Safe to race: of two nodes that make the same key the first one's stays. */
async function currentKeys(core: KeyCore): Promise<readonly IdentityKey[] | null> {
  const { store, clock } = core;
  const { signer, sealingKeys } = core.identity;
  if (sealingKeys === null) return null;
  const kept = await store.committed.runIdentity.listKeys();
  const now = clock.now();
  const missing = missingAt(kept, now);
  const first = firstKept(kept, now);
  if (missing.length === 0 && (kept[0]?.sequence ?? 1) >= first) return kept;
  const made = await Promise.all(
    missing.map(async (timed) => {
      const { kid, publicJwk, privateJwk } = await signer.makeKey();
      const nonce = core.random.bytes(SEAL_NONCE_BYTES);
      const sealed = seal(privateJwk, { key: sealingKeys.current, nonce, boundTo: boundTo(kid) });
      return { ...timed, kid, publicJwk, sealed };
    }),
  );
  return await store.transact(async (tx) => {
    for (const key of made) await tx.runIdentity.putKey(key);
    await tx.runIdentity.deleteKeysBelow(first);
    return await tx.runIdentity.listKeys();
  });
}

function boundTo(kid: string): string {
  return `identity-key:${kid}`;
}
