// Reads a run until it has ended or is parked, or for as long as a call may wait: its record, and the report that its events make.

import { ok, type Result } from "../../../base/result.ts";
import { singleLine } from "../../../base/untrusted-text.ts";
import { asRunEvent } from "../../../contract/runs/run-event.ts";
import { parkedTitle } from "../../../render/parked-titles.ts";
import { RunReportFold } from "../../../report/fold-run.ts";
import type { RunReport } from "../../../report/run-report.ts";
import { type EventPage, readEventPage } from "../../core/runs/read-run.ts";
import type { RunRefusal } from "../../core/runs/refusals.ts";
import type { RunRecord, StoredEvent } from "../../core/runs/run-record.ts";
import type { McpToolContext } from "./tool.ts";

const EVENTS_A_PAGE = 500;
/** Between two notes of progress. */
const PROGRESS_STEP_MS = 1_000;
const MAX_NOTE_CHARS = 160;

export type WatchedRun = {
  readonly run: RunRecord;
  readonly report: RunReport;
};

type Watcher = Pick<McpToolContext, "core" | "caller" | "waits" | "signal" | "progress">;

/** Waits for `waitMs` at most: less where the node has no room for it, or the client goes away. */
export async function watchRun(
  watcher: Watcher,
  { runId, waitMs }: { readonly runId: string; readonly waitMs: number },
): Promise<Result<WatchedRun, RunRefusal>> {
  const { caller, waits } = watcher;
  const mayWait = waitMs > 0 && waits.enter(caller.accountId);
  try {
    return await watch(watcher, { runId, waitMs: mayWait ? waitMs : 0 });
  } finally {
    if (mayWait) waits.leave(caller.accountId);
  }
}

async function watch(
  watcher: Watcher,
  { runId, waitMs }: { readonly runId: string; readonly waitMs: number },
): Promise<Result<WatchedRun, RunRefusal>> {
  const { core, progress } = watcher;
  const deadline = core.clock.monotonic() + waitMs;
  const fold = new RunReportFold();
  let notedAt = Number.NEGATIVE_INFINITY;
  if (waitMs > 0) await progress(0, `Run ${runId}`);
  for (let after = 0; ; ) {
    const leftMs = Math.max(0, deadline - core.clock.monotonic());
    const page = await readPage(watcher, { runId, after, waitMs: leftMs });
    if (!page.ok) return page;
    const { run, events, next, done } = page.value;
    for (const event of events) addEvent(fold, event);
    const isRead = next >= run.lastSeq;
    const isAtRest = run.parked !== undefined && isRead;
    const isOver = done || isAtRest || events.length === 0 || (leftMs === 0 && isRead);
    if (isOver) {
      if (done) fold.end();
      return ok({ run, report: fold.report });
    }
    after = next;
    const now = core.clock.monotonic();
    if (waitMs > 0 && now - notedAt >= PROGRESS_STEP_MS) {
      notedAt = now;
      await progress(next, `Run ${runId}: ${noteOf(fold.report)}`);
    }
  }
}

/** A node with too many who wait answers with what there is. */
async function readPage(
  { core, caller, signal }: Watcher,
  query: { readonly runId: string; readonly after: number; readonly waitMs: number },
): Promise<Result<EventPage, RunRefusal>> {
  const read = { caller, limit: EVENTS_A_PAGE, signal, ...query };
  const page = await readEventPage(core, read);
  if (page.ok || page.refusal.reason !== "overloaded") return page;
  return await readEventPage(core, { ...read, waitMs: 0 });
}

function addEvent(fold: RunReportFold, { seq, at, json }: StoredEvent): void {
  const event: { readonly type: unknown } = JSON.parse(json);
  const known = asRunEvent(event);
  if (known !== null) fold.add({ seq, at: new Date(at).toISOString(), event: known });
}

/** The run's present act, as one line. */
export function noteOf(report: RunReport): string {
  const call = report.calls.findLast(({ endedAtMs }) => endedAtMs === null);
  const step = report.steps.findLast(({ endedAtMs }) => endedAtMs === null);
  const idle = report.parked === null ? "at work" : parkedTitle(report.parked.reason);
  const what = call?.title ?? step?.name ?? (report.state.status === "unknown" ? "queued" : idle);
  return singleLine(what, MAX_NOTE_CHARS);
}
