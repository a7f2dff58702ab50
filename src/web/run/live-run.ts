// A run in flight on its page: events are folded as they come, and what they change is drawn anew, a little each frame.

import { type Run, runSchema } from "../../contract/runs/run.ts";
import {
  asRunEvent,
  PARKED_EVENT,
  RESUMED_EVENT,
  type StoredRunEvent,
} from "../../contract/runs/run-event.ts";
import {
  type Entry,
  entryElement,
  entryId,
  isShown,
  resumptionEntry,
} from "../../render/run-page/entries.ts";
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
import { waterfall } from "../../render/run-page/waterfall.ts";
import { RunReportFold } from "../../report/fold-run.ts";
import type { RunReport } from "../../report/run-report.ts";
import { toNode, toNodes } from "./draw.ts";
import type { Follower } from "./follower.ts";
import { followRun } from "./run-socket.ts";
import { showState } from "./state-icon.ts";

/** Of a hidden tab, where the browser draws no frames. */
const HIDDEN_MS = 500;
const TICK_MS = 1_000;
/** The time that one frame may take, in milliseconds, before the rest waits for the next. */
const FRAME_MS = 8;
/** While the run goes on; the others are drawn at its end. */
const liveSections: readonly SectionId[] = ["attempts", "changes", "plan", "approvals", "network"];
/** Whenever the run is parked, or goes on: what its reader has typed there is lost. */
const parkedSections: readonly SectionId[] = ["parked", "reply"];

export class LiveRun {
  readonly #root: HTMLElement;
  readonly #fold: RunReportFold;
  readonly #follower: Follower;
  readonly #base: string;
  readonly #mayContinue: boolean;
  #run: Run;
  /** Entries to be drawn, by the number of their first event. */
  readonly #changed = new Map<number, Entry>();
  readonly #changedSections = new Set<SectionId>();
  #isScheduled = false;
  #isHeadingChanged = false;
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
    this.#base = root.dataset.base ?? "";
    this.#mayContinue = root.dataset.mayContinue !== undefined;
    // Written by the same version of this code, for this page.
    this.#fold = new RunReportFold(JSON.parse(root.dataset.known ?? "null") as RunReport);
  }

  start(): void {
    const { next = "0", view } = this.#root.dataset;
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    followRun({
      runId: this.#run.id,
      after: Number(next),
      viewToken: view ?? null,
      onEvent: (event) => this.#take(event),
      onRun: (run) => this.#takeRun(run),
      onState: (state) => {
        if (state === "ended" || state === "refused") clearInterval(ticking);
        if (state === "live") this.#say(liveText(this.#run));
        if (state === "reconnecting") this.#say("The connection was lost. Connecting again");
        if (state === "refused") this.#say("This page is not live any more. Reload it to see more");
        if (state === "ended")
          this.#say(`The run has ended: ${runHeading(this.#run, this.#fold.report).text}`);
      },
    });
  }

  #take(stored: StoredRunEvent): void {
    this.#fold.add(stored);
    this.#lastEventMs = performance.now();
    const event = asRunEvent(stored.event);
    if (event === null) return;
    const entry = entryOf(event, stored.seq, this.#fold.report);
    if (entry !== null) this.#changed.set(entry.seq, entry);
    if (event.type === "CUSTOM" && event.name === RESUMED_EVENT) this.#showCutOff();
    if (event.type === "RUN_STARTED" || (event.type === "CUSTOM" && movesRun.has(event.name)))
      this.#setRun(movedRun(this.#run, this.#fold.report));
    if (event.type === "STEP_STARTED") this.#say(event.stepName);
    if (event.type === "CUSTOM") for (const id of liveSections) this.#changedSections.add(id);
    this.#schedule();
  }

  /** The calls that the newest event, by which a run was taken up again, has ended without a result. */
  #showCutOff(): void {
    const { calls, lastEventAtMs } = this.#fold.report;
    for (const call of calls)
      if (call.isCutOff && call.endedAtMs === lastEventAtMs)
        this.#changed.set(call.seq, { kind: "call", seq: call.seq, call });
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
    this.#isHeadingChanged = true;
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
    const untilMs = performance.now() + FRAME_MS;
    for (const [seq, entry] of this.#changed) {
      this.#changed.delete(seq);
      drawEntry(entry, this.#base);
      if (performance.now() > untilMs) break;
    }
    if (this.#changed.size > 0) {
      this.#follower.onNew();
      this.#schedule();
      return;
    }
    const page = this.#page(this.#fold.report);
    for (const id of this.#changedSections)
      document.getElementById(id)?.replaceChildren(...toNodes(sections[id](page)));
    this.#changedSections.clear();
    if (this.#isHeadingChanged) this.#drawHeading();
    this.#follower.onNew();
  }

  #page(report: RunReport): PageRun {
    return { run: this.#run, report, base: this.#base, mayContinue: this.#mayContinue };
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
    if (!isOver(this.#run)) return;
    const drawn = waterfall(report);
    const before = document.querySelector(".waterfall");
    if (drawn !== null && before !== null) before.replaceWith(toNode(drawn));
    else if (drawn !== null) document.getElementById("tools")?.before(toNode(drawn));
  }

  /** A run at work has taken as long as it had at its last event, and what has passed since. */
  #tick(): void {
    const { report } = this.#fold;
    const isAtRest = isOver(this.#run) || parkedOf(this.#run) !== null;
    const sinceMs = isAtRest ? 0 : performance.now() - this.#lastEventMs;
    const lastEventAtMs = report.lastEventAtMs === null ? null : report.lastEventAtMs + sinceMs;
    const facts = factsOf(this.#page({ ...report, lastEventAtMs }));
    const shown = document.getElementById("facts");
    if (shown !== null && shown.textContent !== facts) shown.textContent = facts;
  }

  #say(text: string): void {
    const status = document.getElementById("status");
    if (status !== null && status.textContent !== text) status.textContent = text;
  }
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

function drawEntry(entry: Entry, base: string): void {
  if (!isShown(entry)) return;
  const list = document.getElementById("entries");
  if (list === null) return;
  const drawn = toNode(entryElement(entry, { base, calls: "whole", fork: null }));
  const before = document.getElementById(entryId(entry.seq));
  if (before === null) {
    list.insertBefore(drawn, successorIn(list, entry.seq));
    return;
  }
  const wasOpen = before.querySelector("details")?.open;
  const hadFocus = before === document.activeElement;
  const focused = before.contains(document.activeElement) ? document.activeElement?.tagName : undefined;
  before.replaceWith(drawn);
  if (!(drawn instanceof HTMLElement)) return;
  const details = drawn.querySelector("details");
  if (details !== null && wasOpen === true) details.open = true;
  if (hadFocus) drawn.focus({ preventScroll: true });
  else if (focused !== undefined) drawn.querySelector<HTMLElement>(focused)?.focus({ preventScroll: true });
}

/** The first entry that began later; it is near the end. */
function successorIn(list: HTMLElement, seq: number): Element | null {
  let successor: Element | null = null;
  for (let one = list.lastElementChild; one !== null; one = one.previousElementSibling) {
    if (Number(one.id.slice(1)) < seq) break;
    successor = one;
  }
  return successor;
}
