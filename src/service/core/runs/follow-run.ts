// Follows a run or a session to its end: pages of events as they arrive, each read after the last one was processed.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Caller } from "../accounts/caller.ts";
import { reachAgent } from "../agents/reach-agent.ts";
import type { Core } from "../core.ts";
import type { Session } from "../sessions/session.ts";
import { type EventPage, findRun, readEventPage, type StreamReader } from "./read-run.ts";
import type { RunRefusal } from "./refusals.ts";
import type { RunRecord } from "./run-record.ts";

const EVENTS_A_PAGE = 100;
const RUNS_A_PAGE = 50;

/** `caller` is called before each read: a credential may expire or be replaced in between. */
type Follower<Reader> = { readonly caller: () => Reader | null; readonly signal: AbortSignal };

/**
 * Pages with new events after a cursor, until one is `done`, `signal` aborts or the service stops. Ends with a refusal when
 * the caller may not, or no longer, read the run.
 */
export async function* followRun(
  core: Core,
  query: Follower<StreamReader> & { runId: string; after: number },
): AsyncGenerator<Result<EventPage, RunRefusal>, void> {
  const { runId, signal } = query;
  let after = query.after;
  while (isFollowed(core, signal)) {
    const listener = core.signals.listen(runId);
    try {
      const caller = query.caller();
      if (caller === null) return;
      const page = await readEventPage(core, {
        caller,
        runId,
        after,
        limit: EVENTS_A_PAGE,
        waitMs: 0,
        signal,
      });
      const hasNews = !page.ok || page.value.done || page.value.events.length > 0;
      if (hasNews) yield page;
      if (!page.ok || page.value.done) return;
      after = page.value.next;
      if (!hasNews) await movement(listener, signal);
    } finally {
      listener.stop();
    }
  }
}

/** Finds a session for a caller who may use its agent. */
export async function findSession(
  core: Core,
  query: { caller: Caller; sessionId: string },
): Promise<Result<Session, RunRefusal>> {
  const { caller, sessionId } = query;
  const session = await core.store.committed.sessions.find(sessionId);
  if (session === null) return refused({ reason: "session_unknown", sessionId });
  const agent = await reachAgent(core, { caller, agentId: session.agentId });
  return agent.ok ? ok(session) : refused({ reason: "session_of_another", sessionId });
}

/** Finds a run that is of this session. */
export async function findRunOfSession(
  core: Core,
  query: { caller: Caller; sessionId: string; runId: string },
): Promise<Result<RunRecord, RunRefusal>> {
  const run = await findRun(core, query);
  if (!run.ok || run.value.sessionId === query.sessionId) return run;
  return refused({ reason: "run_not_found", runId: query.runId });
}

/**
 * The session's runs in order, from the run `from` on, that one included, or from the first: existing
 * and new ones, until `signal` aborts or the service stops.
 */
export async function* followSession(
  core: Core,
  query: Follower<Caller> & { sessionId: string; from: string | null },
): AsyncGenerator<Result<string, RunRefusal>, void> {
  const { sessionId, from, signal } = query;
  let after = from;
  if (from !== null) yield ok(from);
  while (isFollowed(core, signal)) {
    const listener = core.signals.listen(sessionId);
    try {
      const caller = query.caller();
      if (caller === null) return;
      const session = await findSession(core, { caller, sessionId });
      if (!session.ok) {
        yield session;
        return;
      }
      const runs = await core.store.committed.runs.listOfSession({ sessionId, after, limit: RUNS_A_PAGE });
      for (const run of runs) {
        yield ok(run.id);
        after = run.id;
      }
      if (runs.length === 0) await movement(listener, signal);
    } finally {
      listener.stop();
    }
  }
}

/** Whether whoever follows something goes on. */
export function isFollowed(core: Core, signal: AbortSignal): boolean {
  return !signal.aborted && !core.signals.isClosed;
}

/** Resolves at the next signal, and when `signal` aborts. */
export async function movement(
  listener: { moved: Promise<void>; stop(): void },
  signal: AbortSignal,
): Promise<void> {
  const stop = () => listener.stop();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await listener.moved;
  signal.removeEventListener("abort", stop);
}
