// Authentication of a bearer credential's holder: a job, an account's owner, or an AI client that acts for the owner.

import { ok, type Result, refused } from "../../../base/result.ts";
import { hashSecret, isWellFormedSecret } from "../../../base/secret-token.ts";
import { CAPABILITY_PREFIX } from "../../../contract/ci/exchange.ts";
import type { Role } from "../../../contract/roles.ts";
import { type Caller, keyPrefixes } from "../accounts/caller.ts";
import type { Credential } from "../accounts/credential.ts";
import type { AuthRefusal } from "../accounts/refusals.ts";
import type { HeldCredential } from "../accounts/store-port.ts";
import type { Core } from "../core.ts";

/** The precision of the stored last use of a credential. */
const LAST_USED_STEP_MS = 60_000;

/** Finds out who holds this bearer credential. Null stands for a request without one. */
export async function authenticate(core: Core, bearer: string | null): Promise<Result<Caller, AuthRefusal>> {
  if (bearer === null) return refused({ reason: "credential_missing" });
  if (isWellFormedSecret(CAPABILITY_PREFIX, bearer)) return await authenticateJob(core, bearer);
  if (Object.values(keyPrefixes).some((prefix) => isWellFormedSecret(prefix, bearer))) {
    return await authenticateAccount(core, bearer);
  }
  return refused({ reason: "credential_malformed" });
}

async function authenticateJob(core: Core, bearer: string): Promise<Result<Caller, AuthRefusal>> {
  const capability = await core.store.committed.ci.findCapability(hashSecret(bearer));
  if (capability === null) return refused({ reason: "credential_unknown" });
  if (capability.revokedAt !== null) return refused({ reason: "capability_revoked" });
  if (capability.expiresAt <= core.clock.now()) {
    return refused({ reason: "capability_expired", expiredAt: capability.expiresAt });
  }
  return ok({ kind: "ci_job", capability });
}

async function authenticateAccount(core: Core, bearer: string): Promise<Result<Caller, AuthRefusal>> {
  const credential = await core.store.committed.credentials.find(hashSecret(bearer));
  if (credential === null) return refused({ reason: "credential_unknown" });
  const now = core.clock.now();
  const ended = endOf(credential, now);
  if (ended !== null) return refused(ended);
  const role = roleOf(credential);
  if (role === null) return refused({ reason: "membership_ended" });
  if (now - (credential.lastUsedAt ?? 0) >= LAST_USED_STEP_MS) {
    await core.store.transact(async (tx) => {
      // The grant first, as everywhere else: two transactions never wait for each other.
      if (credential.kind === "access_token") await tx.oauthGrants.touch({ id: credential.grantId, now });
      await tx.credentials.touch({ hash: credential.hash, now });
    });
  }
  const { accountId, personId, person } = credential;
  const holder = { kind: "account", accountId, personId, role, ...person } as const;
  return credential.kind === "key"
    ? ok({ ...holder, callerClass: credential.callerClass, clientName: credential.name })
    : ok({ ...holder, callerClass: "ai_client", accessToken: credential });
}

/** Null where its person is no member any more. A CI job's token is nobody's: its scopes and its class bound it. */
function roleOf({ kind, personId, role }: HeldCredential): Role | null {
  return personId === null && kind === "access_token" ? "admin" : role;
}

/** Why a credential is no longer good. Null while it is. */
function endOf(credential: Credential, now: number): AuthRefusal | null {
  if (credential.kind === "key") return credential.revokedAt === null ? null : { reason: "key_revoked" };
  if (credential.revokedAt !== null) return { reason: "access_token_revoked" };
  const { expiresAt } = credential;
  return expiresAt <= now ? { reason: "access_token_expired", expiredAt: expiresAt } : null;
}
