// The session that a submission names, by its id or by a key of the caller's own.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { SubmitRunRequest } from "../../../contract/runs/run-requests.ts";
import type { Agent } from "../agents/agent.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { SessionRefusal } from "../sessions/refusals.ts";

/** A submission that loses the race for a session key finds the key taken at its second try. */
const SESSION_KEY_TRIES = 2;

/** Another submission took the session key after it was read: everything is undone, and the next try finds its session. */
export class SessionKeyTakenError extends Error {
  readonly key: string;

  constructor(key: string) {
    super("The session key was taken meanwhile.");
    this.key = key;
  }
}

/** Repeats a submission that a SessionKeyTakenError undid. Throws the error of the last try. */
export async function withSessionKey<Value>(submit: () => Promise<Value>): Promise<Value> {
  for (let left = SESSION_KEY_TRIES - 1; ; left -= 1) {
    try {
      return await submit();
    } catch (cause) {
      if (!(cause instanceof SessionKeyTakenError) || left === 0) throw cause;
    }
  }
}

/** The existing session that the request names; null where the run begins a new one. */
export async function findRequestedSession(
  tx: StoreTransaction,
  { agent, body }: { agent: Agent; body: SubmitRunRequest },
): Promise<Result<string | null, SessionRefusal>> {
  const { session_id: sessionId, session_key: key } = body;
  if (sessionId !== undefined) {
    const session = await tx.sessions.find(sessionId);
    if (session?.agentId !== agent.id) return refused({ reason: "session_not_found", sessionId });
    return ok(sessionId);
  }
  if (key === undefined) return ok(null);
  const known = body.new_session === true ? null : await tx.sessions.findByKey({ agentId: agent.id, key });
  if (known !== null) return ok(known);
  // A release of the agent frees its keys. A key that is made at the same time must not survive it.
  const current = await tx.agents.lock(agent.id);
  if (current?.accountId !== agent.accountId) throw new SessionKeyTakenError(key);
  if (body.new_session === true) await tx.sessions.deleteKey({ agentId: agent.id, key });
  return ok(null);
}
