// Rotation of refresh tokens: a token that was used gives the same successor again for a minute, to windows that share one
// store of tokens and to whoever lost the answer. A token that comes back after its successor was used ends the sign-in.
// Why: docs/decisions/102-a-used-refresh-token-answers-for-a-minute.md

import { hkdfSync } from "node:crypto";
import { ok, type Result, refused } from "../../../base/result.ts";
import {
  SEAL_NONCE_BYTES,
  SEALING_KEY_BYTES,
  type SealingKey,
  seal,
  sealingKeyOf,
  unseal,
} from "../../../base/sealed-text.ts";
import { hashSecret } from "../../../base/secret-token.ts";
import type { Core } from "../core.ts";
import type { Artifact } from "./artifact.ts";
import { isAlive } from "./grant.ts";
import { endGrant } from "./grants.ts";

/** From the first use of a token. */
const SUCCESSOR_MS = 60_000;

type Rotation = {
  /** The text of the token that was presented. */
  readonly presented: string;
  /** Its successor if it has none yet. */
  readonly successor: {
    readonly text: string;
    readonly artifact: Artifact & { readonly grantId: string };
  };
};

export type RotationRefusal =
  | { readonly reason: "grant_ended" }
  /** It was used longer ago than a minute. Its successor is good. */
  | { readonly reason: "token_used" }
  /** Its successor was used before: one of the two is not the application's. The grant has ended. */
  | { readonly reason: "token_reused" };

/**
 * Uses a refresh token, and returns the text of its successor. In one transaction: either the token is used and its successor
 * is there, or neither. Repeated within a minute it returns the same text.
 */
export async function rotateToken(
  { store, clock, random }: Pick<Core, "store" | "clock" | "random">,
  { presented, successor }: Rotation,
): Promise<Result<string, RotationRefusal>> {
  const now = clock.now();
  const nonce = random.bytes(SEAL_NONCE_BYTES);
  const { kind, grantId } = successor.artifact;
  const key = { kind, idHash: hashSecret(presented) };
  return await store.transact(async (tx): Promise<Result<string, RotationRefusal>> => {
    const grant = await tx.oauthGrants.lock(grantId);
    if (grant === null || !isAlive(grant, now)) return refused({ reason: "grant_ended" });
    const used = await tx.oauthArtifacts.find(key);
    if (used === null) return refused({ reason: "grant_ended" });
    if (used.consumedAt === null) {
      const sealed = seal(successor.text, { key: keyOf(presented), nonce, boundTo: grantId });
      await tx.oauthArtifacts.put(successor.artifact);
      await tx.oauthArtifacts.consume({ ...key, now, successor: sealed });
      return ok(successor.text);
    }
    const text = successorOf(used, presented);
    const next = text === null ? null : await tx.oauthArtifacts.find({ kind, idHash: hashSecret(text) });
    if (text === null || next === null || next.consumedAt !== null) {
      await endGrant(tx, { id: grantId, now });
      return refused({ reason: "token_reused" });
    }
    return now - used.consumedAt < SUCCESSOR_MS ? ok(text) : refused({ reason: "token_used" });
  });
}

/** Null where it was used before successors were kept. */
function successorOf({ successor, grantId }: Artifact, presented: string): string | null {
  if (successor === null || grantId === null) return null;
  const keys = { current: keyOf(presented), previous: null };
  const opened = unseal(successor, { keys, boundTo: grantId });
  return opened.ok ? opened.value : null;
}

/** Of a token of 256 random bits, of which the store has only the hash. */
function keyOf(token: string): SealingKey {
  const purpose = "agent-service successor of a refresh token";
  return sealingKeyOf(new Uint8Array(hkdfSync("sha256", token, "", purpose, SEALING_KEY_BYTES)));
}
