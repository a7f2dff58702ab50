// Reading runs: the record, and the durable events by cursor and long poll.

import { WOKEN } from "../../../base/clock.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import { QUOTA_EVENT } from "../../../contract/runs/run-event.ts";
import type { Caller } from "../accounts/caller.ts";
import { reachAgent } from "../agents/reach-agent.ts";
import type { Core } from "../core.ts";
import type { RunRefusal } from "./refusals.ts";
import type { RunRecord, StoredEvent } from "./run-record.ts";
import type { RunViewer } from "./run-view.ts";

/** The size of a page, about. A larger event has a page of its own. */
const MAX_PAGE_CHARS = 1_000_000;
const EVENTS_A_READ = 100;

export type EventPage = {
  readonly run: RunRecord;
  readonly events: readonly StoredEvent[];
  readonly next: number;
  readonly done: boolean;
  /** True when the request waited and an event arrived. */
  readonly wasWoken: boolean;
};

/** Who may read a run's events: a caller of the API, or whoever holds a link to that run. */
export type StreamReader = Caller | RunViewer;

/** A request for an agent's run takes a caller of the API. */
type RunQuery =
  | { readonly caller: Caller; readonly runId: string; readonly agentId: string }
  | { readonly caller: StreamReader; readonly runId: string; readonly agentId?: undefined };

/** Finds a run for a caller. With `agentId`, a run of another agent is not found. */
export async function findRun(core: Core, query: RunQuery): Promise<Result<RunRecord, RunRefusal>> {
  const { caller, runId, agentId } = query;
  if (query.agentId !== undefined) {
    const agent = await reachAgent(core, query);
    if (!agent.ok) return agent;
  }
  // A link says nothing of other runs, not even that they exist.
  if (caller.kind === "run_view" && caller.view.runId !== runId) {
    return refused({ reason: "run_not_found", runId });
  }
  const run = await core.reads.findRun(runId);
  if (run === null || (agentId !== undefined && run.agentId !== agentId)) {
    return refused({ reason: "run_not_found", runId });
  }
  if (agentId !== undefined || (await mayReadRun(core, caller, run))) return ok(run);
  return refused({ reason: "run_of_another", runId });
}

/** Finds a run whose events are kept. */
export async function findStream(
  core: Core,
  query: { caller: StreamReader; runId: string },
): Promise<Result<RunRecord, RunRefusal>> {
  const run = await findRun(core, query);
  if (!run.ok || run.value.hasExpired !== true) return run;
  return refused({ reason: "events_expired", runId: run.value.id, agentId: run.value.agentId });
}

/** A job's capability names its agent, so that its polls need no query for it. */
async function mayReadRun(core: Core, caller: StreamReader, run: RunRecord): Promise<boolean> {
  if (caller.kind === "run_view") return caller.view.runId === run.id;
  if (caller.kind === "ci_job") return caller.capability.agentId === run.agentId;
  if ((await reachAgent(core, { caller, agentId: run.agentId })).ok) return true;
  // Its agent may have been deleted: the record stays with who owned it.
  return (await core.store.committed.agents.findAccount(run.agentId)) === caller.accountId;
}

/**
 * Reads the events after a cursor. With `waitMs`, and nothing new, answers at the first new event, when the run ends,
 * when the time is over, or when `signal` aborts. Safe to repeat: the same cursor gives the same events.
 */
export async function readEventPage(
  core: Core,
  query: {
    caller: StreamReader;
    runId: string;
    after: number;
    limit: number;
    waitMs: number;
    signal: AbortSignal;
  },
): Promise<Result<EventPage, RunRefusal>> {
  const { caller, runId, after, limit, waitMs, signal } = query;
  const deadline = core.clock.monotonic() + waitMs;
  for (let hasWaited = false; ; hasWaited = true) {
    const listener = core.signals.listen(runId);
    // The signal that ends the opening while this reads has moved the listener: it reads again.
    const wasOpening = core.signals.isOpening(runId);
    try {
      const asked = { runId, after, limit };
      // Who was woken was let through before, and most often has news: both are asked for at once.
      const [found, early] = hasWaited
        ? await Promise.all([findStream(core, { caller, runId }), listEvents(core, asked)])
        : [await findStream(core, { caller, runId }), null];
      if (!found.ok) return found;
      const run = found.value;
      const leftMs = deadline - core.clock.monotonic();
      const isWorthWaiting = leftMs > 0 && !signal.aborted && !core.signals.isClosed;
      // A short run says the rest at once: one page has it all.
      const isToSayMore =
        isWorthWaiting && run.lastSeq === 1 && (wasOpening || (await core.signals.isFoundOpening(runId)));
      const hasNews = run.lastSeq > after && !isToSayMore;
      const isThere = early !== null && early.length > 0;
      const events = hasNews ? (isThere ? early : await listEvents(core, asked)) : [];
      // The events were deleted after the run was read: reading the run again gives the refusal.
      if (events.length === 0 && hasNews) {
        const again = await findStream(core, { caller, runId });
        if (!again.ok) return again;
      }
      const next = events.at(-1)?.seq ?? after;
      const done = isTerminal(run.status) && next >= run.lastSeq;
      if (events.length > 0 || done || !isWorthWaiting) {
        const shown = caller.kind === "run_view" ? events.map(forViewer) : events;
        return ok({ run, events: shown, next, done, wasWoken: hasWaited && events.length > 0 });
      }
      const overload = core.load.enter("polls");
      if (overload !== null) return refused(overload);
      await waitFor(core, { moved: listener.moved, ms: leftMs, signal });
      core.load.leave("polls");
    } finally {
      listener.stop();
    }
  }
}

async function listEvents(
  core: Core,
  { runId, after, limit }: { runId: string; after: number; limit: number },
): Promise<readonly StoredEvent[]> {
  const page: StoredEvent[] = [];
  let chars = 0;
  let cursor = after;
  while (page.length < limit) {
    const batchSize = Math.min(EVENTS_A_READ, limit - page.length);
    const batch = await core.reads.listEvents({ runId, after: cursor, limit: batchSize });
    for (const event of batch) {
      // The run's events are being deleted: the next page is refused.
      if (event.seq !== cursor + 1) return page;
      chars += event.json.length;
      if (chars > MAX_PAGE_CHARS && page.length > 0) return page;
      page.push(event);
      cursor = event.seq;
    }
    if (batch.length < batchSize) break;
  }
  return page;
}

/** Resolves at the next movement, after `ms`, or when `signal` aborts. Never rejects. */
async function waitFor(
  core: Core,
  { moved, ms, signal }: { moved: Promise<void>; ms: number; signal: AbortSignal },
): Promise<void> {
  const wait = new AbortController();
  const wake = () => wait.abort(WOKEN);
  signal.addEventListener("abort", wake, { once: true });
  void moved.then(wake);
  if (signal.aborted) wake();
  core.meter.pollWaits();
  await core.clock.sleep(ms, wait.signal).catch(() => {});
  core.meter.pollResumed();
  signal.removeEventListener("abort", wake);
}

/** Of a type that no reader knows: it keeps the event's number, and readers pass over it. */
const WITHHELD = JSON.stringify({ type: "WITHHELD" });

/** An event as whoever has the run's link reads it: without what is left of the account's credits. */
function forViewer(event: StoredEvent): StoredEvent {
  return isWithheld(event.json) ? { ...event, json: WITHHELD } : event;
}

function isWithheld(json: string): boolean {
  if (!json.includes(`"${QUOTA_EVENT}"`)) return false;
  const event: unknown = JSON.parse(json);
  return typeof event === "object" && event !== null && "name" in event && event.name === QUOTA_EVENT;
}
