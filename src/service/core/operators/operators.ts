// Operators: a link that registers one, made on the machine; their passkeys, added, used and removed.

import { ok, type Result, refused } from "../../../base/result.ts";
import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import type { Core } from "../core.ts";
import type { NewPasskey } from "../sign-in/passkeys.ts";
import { SIGN_IN_LINK_MS } from "../sign-in/sign-in-links.ts";
import type { Operator } from "./operator.ts";
import type { OperatorRefusal } from "./refusals.ts";

const LINK_PREFIX = "svc_oplink_";
/** Of requests that nobody sent: the command's. */
const ON_THE_MACHINE = "operator";

type Maker = Pick<Core, "store" | "clock" | "random">;

/** Whether anybody can sign in there. Without, the pages are not there. */
export async function isOperated({ store, policy }: Pick<Core, "store" | "policy">): Promise<boolean> {
  return policy.operators.identities.length > 0 || (await store.committed.operators.hasAny());
}

/** Makes a link that registers one operator, once and for 15 minutes. Its token is returned here and stored nowhere. */
export async function makeOperatorLink(core: Maker): Promise<{ token: string; expiresAt: number }> {
  const createdAt = core.clock.now();
  const { text, hash } = makeSecretToken(LINK_PREFIX, core.random.bytes(32));
  const expiresAt = createdAt + SIGN_IN_LINK_MS;
  await core.store.transact(async (tx) => {
    await tx.operators.insertLink({ hash, createdAt, expiresAt, usedAt: null });
    const step = { action: "operator_link_made", outcome: "ok", requestId: ON_THE_MACHINE } as const;
    await auditAccount(core, tx, { ...step, personId: null });
  });
  return { token: text, expiresAt };
}

/** When the link ends. Uses nothing up. Null for one that was used, has ended or never was. */
export async function findOperatorLink(
  { store, clock }: Pick<Core, "store" | "clock">,
  token: string,
): Promise<{ expiresAt: number } | null> {
  const link = await store.committed.operators.findLink(operatorLinkHash(token));
  return link === null || link.usedAt !== null || link.expiresAt <= clock.now()
    ? null
    : { expiresAt: link.expiresAt };
}

/** The hash of a link's token; one that no link has for every other text. */
export function operatorLinkHash(token: string): string {
  return isWellFormedSecret(LINK_PREFIX, token) ? hashSecret(token) : "";
}

/** Uses a link up, and registers the operator with a passkey that was verified. */
export async function addOperator(
  core: Maker,
  added: {
    readonly id: string;
    readonly token: string;
    readonly passkey: NewPasskey;
    readonly requestId: string;
  },
): Promise<Result<Operator, OperatorRefusal>> {
  const { id, token, passkey, requestId } = added;
  const now = core.clock.now();
  const operator: Operator = { ...passkey, id, createdAt: now, lastUsedAt: now };
  return await core.store.transact(async (tx): Promise<Result<Operator, OperatorRefusal>> => {
    if ((await tx.operators.findByCredential(passkey.credentialId)) !== null)
      return refused({ reason: "passkey_refused" });
    if (!(await tx.operators.useLink({ hash: operatorLinkHash(token), now })))
      return refused({ reason: "link_over" });
    if (!(await tx.operators.insert(operator))) return refused({ reason: "passkey_refused" });
    const step = { action: "operator_added", outcome: "ok", method: "passkey" } as const;
    await auditAccount(core, tx, { ...step, personId: null, operatorId: id, requestId });
    return ok(operator);
  });
}

/** Records a use of a passkey whose signature was verified. Refused where its counter says that it was copied. */
export async function useOperator(
  { store, clock }: Pick<Core, "store" | "clock">,
  used: { operator: Operator; counter: number; isBackedUp: boolean },
): Promise<Result<null, OperatorRefusal>> {
  const { operator, ...use } = used;
  const step = { id: operator.id, ...use, now: clock.now() };
  const isUsed = await store.transact((tx) => tx.operators.use(step));
  return isUsed ? ok(null) : refused({ reason: "passkey_refused" });
}

/** Removes an operator: their passkey signs nobody in from then on, and their sessions have ended. Null when there is none. */
export async function removeOperator(core: Maker, id: string): Promise<Operator | null> {
  return await core.store.transact(async (tx) => {
    const removed = await tx.operators.remove(id);
    const step = { action: "operator_removed", outcome: "ok", requestId: ON_THE_MACHINE } as const;
    if (removed !== null) await auditAccount(core, tx, { ...step, personId: null, operatorId: id });
    return removed;
  });
}
