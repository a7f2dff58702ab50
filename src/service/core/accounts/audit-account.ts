// The audit trail of an account: who signed in by what, keys made and revoked, ways to sign in added and removed.

import type { AuditAction } from "../audit/audit-entry.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";

type AccountStep = {
  readonly action: AuditAction;
  /** "ok", or the reason of the refusal. */
  readonly outcome: string;
  /** Absent where no account was proven. */
  readonly accountId?: string;
  /** Who did it, in person: no application does any of this. Null: nobody was proven. */
  readonly personId: string | null;
  /** The person about whom it was decided. */
  readonly aboutPersonId?: string;
  /** The operator who did it, or about whom it was decided. */
  readonly operatorId?: string;
  readonly method?: string;
  readonly requestId: string;
};

/** Leaves an audit entry. */
export async function auditAccount(
  core: Pick<Core, "clock" | "random">,
  tx: StoreTransaction,
  step: AccountStep,
): Promise<void> {
  const now = core.clock.now();
  await tx.audit.insert({
    id: core.random.uuid(now),
    at: now,
    ...step,
    clientId: null,
    issuer: null,
    repositoryId: null,
    repositoryName: null,
    ciRunId: null,
  });
}

/** An attempt to sign in that a credential was shown for, and refused. */
export async function auditRefusedSignIn(
  core: Pick<Core, "store" | "clock" | "random">,
  refused: {
    readonly reason: string;
    readonly method: string;
    readonly requestId: string;
    /** Left out: to an account. */
    readonly action?: "sign_in" | "operator_sign_in";
  },
): Promise<void> {
  const { reason, action = "sign_in", ...rest } = refused;
  const step = { ...rest, action, personId: null, outcome: reason };
  await core.store.transact((tx) => auditAccount(core, tx, step));
}
