// Signs operators in and out. Their session is a kind of its own: it is no session of an account, and never a bearer.

import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import type { Core } from "../core.ts";
import type { IdentityKind, ProvenIdentity } from "../sign-in/identity.ts";
import {
  isSameIdentity,
  OPERATOR_SESSION_MS,
  type Operator,
  type OperatorSession,
  operatorIdOf,
} from "./operator.ts";

const SESSION_PREFIX = "svc_op_";
const MAX_NAME_CHARS = 200;

type Sessions = Pick<Core, "store" | "clock" | "random">;

/** Who has proved who they are. */
export type ProvenOperator =
  | { readonly kind: "passkey"; readonly operator: Pick<Operator, "id" | "name"> }
  | { readonly kind: IdentityKind; readonly identity: ProvenIdentity };

/**
 * Signs an operator in, with an audit entry. The secret is returned here, for the browser's cookie, and stored nowhere. The session
 * that the browser had so far ends.
 */
export async function openOperatorSession(
  core: Sessions,
  signedIn: {
    readonly who: ProvenOperator;
    readonly earlier: OperatorSession | null;
    readonly requestId: string;
  },
): Promise<{ session: OperatorSession; secret: string }> {
  const { who, earlier, requestId } = signedIn;
  const now = core.clock.now();
  const token = makeSecretToken(SESSION_PREFIX, core.random.bytes(32));
  const session: OperatorSession = {
    id: core.random.uuid(now),
    hash: token.hash,
    ...holderOf(who),
    createdAt: now,
    expiresAt: now + OPERATOR_SESSION_MS,
  };
  await core.store.transact(async (tx) => {
    if (earlier !== null) await tx.operators.deleteSession(earlier.id);
    await tx.operators.insertSession(session);
    const step = { action: "operator_sign_in", outcome: "ok", method: who.kind } as const;
    await auditAccount(core, tx, { ...step, personId: null, operatorId: operatorIdOf(session), requestId });
  });
  return { session, secret: token.text };
}

/**
 * The session of a cookie's secret. Null where there is none, it has ended, its operator was removed, or the settings of this node do
 * not name its identity any more.
 */
export async function findOperatorSession(
  { store, clock, policy }: Pick<Core, "store" | "clock" | "policy">,
  secret: string | null,
): Promise<OperatorSession | null> {
  if (secret === null || !isWellFormedSecret(SESSION_PREFIX, secret)) return null;
  const session = await store.committed.operators.findSession(hashSecret(secret));
  if (session === null || session.expiresAt <= clock.now()) return null;
  if (session.operatorId !== null) return session;
  const { issuer, subject } = session;
  if (issuer === null || subject === null) return null;
  const isNamed = policy.operators.identities.some((one) => isSameIdentity(one, { issuer, subject }));
  return isNamed ? session : null;
}

/** Signs an operator's browser out, with an audit entry. Safe to repeat. */
export async function endOperatorSession(
  core: Sessions,
  { session, requestId }: { session: OperatorSession; requestId: string },
): Promise<void> {
  await core.store.transact(async (tx) => {
    if (!(await tx.operators.deleteSession(session.id))) return;
    const step = { action: "operator_sign_out", outcome: "ok" } as const;
    await auditAccount(core, tx, { ...step, personId: null, operatorId: operatorIdOf(session), requestId });
  });
}

function holderOf(who: ProvenOperator): Pick<OperatorSession, "operatorId" | "issuer" | "subject" | "name"> {
  if (who.kind === "passkey") {
    const { id, name } = who.operator;
    return { operatorId: id, issuer: null, subject: null, name };
  }
  const { issuer, subject, name } = who.identity;
  return { operatorId: null, issuer, subject, name: name.slice(0, MAX_NAME_CHARS) };
}
