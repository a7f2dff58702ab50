// The end of every way to sign in: a new session in the place of the browser's earlier one, and an audit entry.

import { auditAccount } from "../accounts/audit-account.ts";
import type { Core } from "../core.ts";
import type { WebSession } from "../web-sessions/web-session.ts";
import { openWebSession, type SignedInPerson } from "../web-sessions/web-sessions.ts";

type ProvenPerson = SignedInPerson & {
  readonly requestId: string;
  /** The session that the browser has so far. It ends: whoever knew its secret knows nothing of the new one. */
  readonly earlier: WebSession | null;
};

/** Signs the browser of somebody in who has proved who they are. */
export async function completeSignIn(
  core: Core,
  person: ProvenPerson,
): Promise<{ session: WebSession; secret: string }> {
  const { accountId, personId, method, requestId, earlier } = person;
  const opened = await openWebSession(core, person);
  await core.store.transact(async (tx) => {
    if (earlier !== null) await tx.webSessions.delete(earlier);
    await tx.accounts.markSignedIn({ id: accountId, now: core.clock.now() });
    const step = { action: "sign_in", outcome: "ok", accountId, personId, method, requestId } as const;
    await auditAccount(core, tx, step);
  });
  return opened;
}
