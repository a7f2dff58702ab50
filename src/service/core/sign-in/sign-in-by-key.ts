// A person who has an owner's key signs in with it, once.

import { ok, type Result, refused } from "../../../base/result.ts";
import { hashSecret } from "../../../base/secret-token.ts";
import { keyPrefixes } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import type { RateRefusal } from "../limits/refusals.ts";
import type { ProvenMember } from "./proven-member.ts";
import type { SignInRefusal } from "./refusals.ts";
import { isByGroups } from "./sign-in-policy.ts";

/** Attempts that fail, a minute and address. Of one that succeeds nothing is counted. */
const PER_MINUTE = 10;

/**
 * The person who made an owner's key. Whatever the text is, one hash is made and the store is asked once, so that the time
 * tells nothing. No other credential signs a person in: an AI client that could would be the owner.
 */
export async function signInByKey(
  core: Core,
  { secret: text, address }: { secret: string; address: string },
): Promise<Result<ProvenMember, SignInRefusal>> {
  const excess = chargeSignIn(core, address);
  if (excess !== null) return refused(excess);
  const found = await core.store.committed.credentials.find(hashSecret(text));
  if (isOfAnotherKind(text)) return refused({ reason: "key_of_another_kind" });
  if (found === null || found.revokedAt !== null) return refused({ reason: "key_refused" });
  if (found.kind !== "key" || found.callerClass !== "owner")
    return refused({ reason: "key_of_another_kind" });
  const { accountId, personId, role } = found;
  if (personId === null || role === null) return refused({ reason: "key_refused" });
  const member = await core.store.committed.people.findMember({ accountId, personId });
  if (member !== null && isByGroups(core.policy.signIn, member))
    return refused({ reason: "provider_needed" });
  giveBackSignIn(core, address);
  await core.store.transact((tx) => tx.credentials.touch({ hash: found.hash, now: core.clock.now() }));
  return ok({ accountId, personId });
}

/** Every secret of the service says by its prefix what it is for. */
function isOfAnotherKind(text: string): boolean {
  return text.startsWith("svc_") && !text.startsWith(keyPrefixes.owner);
}

/** Takes one attempt to sign in from what an address may do. Null when it may. */
export function chargeSignIn(core: Core, address: string): RateRefusal | null {
  const now = core.clock.monotonic();
  const retryAfterMs = core.limits.take({ key: bucketOf(address), perMinute: PER_MINUTE, now });
  return retryAfterMs === 0 ? null : { reason: "rate_limited", scope: "sign_in", retryAfterMs };
}

/** An attempt that succeeded. */
export function giveBackSignIn(core: Core, address: string): void {
  core.limits.giveBack(bucketOf(address));
}

function bucketOf(address: string): string {
  return `sign-in:${address}`;
}
