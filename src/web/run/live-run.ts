// A run in flight on its page: events are folded as they come, and what they change is drawn anew, a little each frame.

import { assertNever } from "../../base/assert-never.ts";
import { type Run, runSchema } from "../../contract/runs/run.ts";
import {
  asRunEvent,
  PARKED_EVENT,
  RESUMED_EVENT,
  type StoredRunEvent,
} from "../../contract/runs/run-event.ts";
import { type Entry, entriesOf, resumptionEntry } from "../../render/run-page/entries.ts";
import { parkedOf } from "../../render/run-page/parked-section.ts";
import { runHeading } from "../../render/run-page/run-heading.ts";
import {
  factsOf,
  isOver,
  liveText,
  type PageRun,
  type SectionId,
  sectionIds,
  sections,
} from "../../render/run-page/sections.ts";
import { RunReportFold } from "../../report/fold-run.ts";
import type { RunReport } from "../../report/run-report.ts";
import { toNodes } from "./draw.ts";
import type { Follower } from "./follower.ts";
import { LiveList } from "./live-list.ts";
import { LiveTimeline } from "./live-timeline.ts";
import { followRun } from "./run-socket.ts";
import { showState } from "./state-icon.ts";

/** Of a hidden tab, where the browser draws no frames. */
const HIDDEN_MS = 500;
const TICK_MS = 1_000;
/** A job reports a moment after its run's end. */
const REPORT_MS = 10_000;
/** While the run goes on; the others are drawn at its end. */
const liveSections: readonly SectionId[] = ["attempts", "changes", "plan", "approvals", "network"];
/** Whenever the run is parked, or goes on: what its reader has typed there is lost. */
const parkedSections: readonly SectionId[] = ["parked", "reply"];

export class LiveRun {
  readonly #root: HTMLElement;
  readonly #fold: RunReportFold;
  readonly #follower: Follower;
  #run: Run;
  readonly #list: LiveList;
  readonly #timeline = new LiveTimeline();
  readonly #changedSections = new Set<SectionId>();
  #drawChanges: PageRun["drawChanges"] = null;
  #isLoadingChanges = false;
  /** What came before was drawn by the service. */
  readonly #knownSeq: number;
  #isScheduled = false;
  #isHeadingChanged = false;
  #areFactsChanged = false;
  #lastEventMs = performance.now();

  /** Null where the page is that of a run which has ended. */
  static of(root: HTMLElement, follower: Follower): LiveRun | null {
    const { run } = root.dataset;
    return run === undefined ? null : new LiveRun(root, follower, runSchema.parse(JSON.parse(run)));
  }

  private constructor(root: HTMLElement, follower: Follower, run: Run) {
    this.#root = root;
    this.#follower = follower;
    this.#run = run;
    // Written by the same version of this code, for this page.
    this.#fold = new RunReportFold(JSON.parse(root.dataset.known ?? "null") as RunReport);
    this.#knownSeq = Number(root.dataset.next ?? "0");
    this.#list = new LiveList(this.#page(this.#fold.report));
  }

  start(): void {
    const { view } = this.#root.dataset;
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    followRun({
      runId: this.#run.id,
      after: this.#knownSeq,
      viewToken: view ?? null,
      onEvent: (event) => this.#take(event),
      onRun: (run) => this.#takeRun(run),
      onState: (state) => {
        if (state === "ended" || state === "refused") clearInterval(ticking);
        if (state === "live") this.#say(liveText(this.#run));
        if (state === "reconnecting") this.#say("The connection was lost. Connecting again");
        if (state === "refused") this.#say("This page is not live any more. Reload it to see more");
        if (state === "ended") this.#end();
      },
    });
  }

  /** What its job reports after that is on the page when it is loaded anew. */
  #end(): void {
    this.#say(`The run has ended: ${runHeading(this.#run, this.#fold.report).text}`);
    if (this.#run.delivery?.state === "expected") setTimeout(() => location.reload(), REPORT_MS);
  }

  #take(stored: StoredRunEvent): void {
    this.#fold.add(stored);
    this.#lastEventMs = performance.now();
    const event = asRunEvent(stored.event);
    if (event === null) return;
    const entry = entryOf(event, stored.seq, this.#fold.report);
    if (entry !== null) this.#list.change(entry);
    const isResumed = event.type === "CUSTOM" && event.name === RESUMED_EVENT;
    if (isResumed || event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") this.#showEnded();
    if (event.type === "RUN_STARTED" || (event.type === "CUSTOM" && movesRun.has(event.name)))
      this.#setRun(movedRun(this.#run, this.#fold.report));
    if (event.type === "STEP_STARTED") this.#say(event.stepName);
    if (event.type === "CUSTOM") for (const id of liveSections) this.#changedSections.add(id);
    this.#schedule();
  }

  /** What the newest event has ended, which names none of it: what was being said, calls without a result. */
  #showEnded(): void {
    const { report } = this.#fold;
    for (const entry of entriesOf(report))
      if (entry.seq > this.#knownSeq && endOf(entry) === report.lastEventAtMs) this.#list.change(entry);
  }

  #takeRun(run: Run): void {
    this.#setRun(run);
    if (isOver(run)) for (const id of sectionIds) this.#changedSections.add(id);
    this.#schedule();
  }

  #setRun(run: Run): void {
    if (parkedOf(run)?.since !== parkedOf(this.#run)?.since) {
      for (const id of parkedSections) this.#changedSections.add(id);
      this.#say(liveText(run));
    }
    this.#run = run;
    showActions(run);
    this.#isHeadingChanged = true;
    this.#areFactsChanged = true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const draw = () => {
      this.#isScheduled = false;
      this.#draw();
    };
    if (document.hidden) setTimeout(draw, HIDDEN_MS);
    else requestAnimationFrame(draw);
  }

  #draw(): void {
    if (!this.#list.draw()) {
      this.#follower.onNew();
      this.#schedule();
      return;
    }
    const page = this.#page(this.#fold.report);
    for (const id of this.#changedSections)
      document.getElementById(id)?.replaceChildren(...toNodes(sections[id](page)));
    this.#changedSections.clear();
    if (page.report.changes !== null && this.#drawChanges === null) void this.#loadChanges();
    if (this.#areFactsChanged) this.#list.setFacts(page);
    this.#areFactsChanged = false;
    if (this.#isHeadingChanged) this.#drawHeading();
    this.#follower.onNew();
  }

  /** They are drawn once what draws them is there. */
  async #loadChanges(): Promise<void> {
    const { diff } = this.#root.dataset;
    if (diff === undefined || this.#isLoadingChanges) return;
    this.#isLoadingChanges = true;
    try {
      this.#drawChanges = ((await import(diff)) as typeof import("../diff.ts")).changesSection;
    } catch {
      this.#say("The changes could not be loaded. Reload the page to see them");
      return;
    }
    this.#changedSections.add("changes");
    this.#schedule();
  }

  #page(report: RunReport): PageRun {
    const { base = "", mayContinue, files = null } = this.#root.dataset;
    const drawChanges = this.#drawChanges;
    return {
      run: this.#run,
      report,
      base,
      mayContinue: mayContinue !== undefined,
      filesUrl: files,
      drawChanges,
    };
  }

  #drawHeading(): void {
    this.#isHeadingChanged = false;
    const report = this.#fold.report;
    const { icon, text, tone } = runHeading(this.#run, report);
    const mark = document.createElement("span");
    mark.ariaHidden = "true";
    mark.textContent = `${icon} `;
    document.getElementById("verdict")?.replaceChildren(mark, text);
    document.title = `${icon} ${text}`;
    this.#root.dataset.tone = tone;
    showState(tone);
    this.#tick();
    if (isOver(this.#run)) this.#timeline.draw(report, this.#list.rows);
  }

  /** A run at work has taken as long as it had at its last event, and what has passed since. */
  #tick(): void {
    const { report } = this.#fold;
    const isAtRest = isOver(this.#run) || parkedOf(this.#run) !== null;
    const sinceMs = isAtRest ? 0 : performance.now() - this.#lastEventMs;
    const lastEventAtMs = report.lastEventAtMs === null ? null : report.lastEventAtMs + sinceMs;
    const now = { ...report, lastEventAtMs };
    const facts = factsOf(this.#page(now));
    const shown = document.getElementById("facts");
    if (shown !== null && shown.textContent !== facts) shown.textContent = facts;
    if (!isAtRest) this.#timeline.draw(now, this.#list.rows);
  }

  #say(text: string): void {
    const status = document.getElementById("status");
    if (status !== null && status.textContent !== text) status.textContent = text;
  }
}

/** The service has drawn what can be done with a run that goes on, and with one that has ended. */
function showActions(run: Run): void {
  const shown = {
    cancel: !isOver(run) && run.status !== "cancelling",
    again: isOver(run),
    next: isOver(run),
  };
  for (const [id, isShown] of Object.entries(shown))
    document.getElementById(id)?.toggleAttribute("hidden", !isShown);
}

type KnownEvent = NonNullable<ReturnType<typeof asRunEvent>>;

const movesRun: ReadonlySet<string> = new Set([PARKED_EVENT, RESUMED_EVENT]);

/** As the events say: the record comes when the page connects, and at the run's end. */
function movedRun(run: Run, { state, parked }: RunReport): Run {
  if (state.status !== "running" || (run.status !== "queued" && run.status !== "running")) return run;
  const startedAt = new Date(state.startedAtMs).toISOString();
  const { parked: _before, ...same } = {
    started_at: startedAt,
    last_heartbeat_at: startedAt,
    parked,
    ...run,
  };
  return { ...same, status: "running", ...(parked === null ? {} : { parked }) };
}

/** The entry that an event adds or changes in the list; null where there is none. */
function entryOf(event: KnownEvent, seq: number, report: RunReport): Entry | null {
  switch (event.type) {
    case "TEXT_MESSAGE_START":
    case "TEXT_MESSAGE_CONTENT":
    case "TEXT_MESSAGE_END": {
      const message = report.messages.findLast(({ id }) => id === event.messageId);
      return message === undefined ? null : { kind: "message", seq: message.seq, message };
    }
    case "REASONING_MESSAGE_START":
    case "REASONING_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_END": {
      const thought = report.thoughts.findLast(({ id }) => id === event.messageId);
      return thought === undefined ? null : { kind: "thought", seq: thought.seq, thought };
    }
    case "TOOL_CALL_START":
    case "TOOL_CALL_END":
    case "TOOL_CALL_RESULT": {
      const call = report.calls.findLast(({ id }) => id === event.toolCallId);
      return call === undefined ? null : { kind: "call", seq: call.seq, call };
    }
    case "STEP_STARTED":
    case "STEP_FINISHED": {
      const step = report.steps.findLast(({ name }) => name === event.stepName);
      return step === undefined ? null : { kind: "step", seq: step.seq, step };
    }
    case "CUSTOM": {
      const resumption = report.resumptions.findLast((one) => one.seq === seq);
      if (resumption !== undefined) return resumptionEntry(resumption);
      const notice = report.notices.findLast((one) => one.seq === seq);
      return notice === undefined ? null : { kind: "notice", seq, notice };
    }
    default:
      return null;
  }
}

function endOf(entry: Entry): number | null {
  switch (entry.kind) {
    case "message":
      return entry.message.endedAtMs;
    case "thought":
      return entry.thought.endedAtMs;
    case "call":
      return entry.call.endedAtMs;
    case "step":
      return entry.step.endedAtMs;
    case "notice":
      return null;
    default:
      return assertNever(entry);
  }
}
