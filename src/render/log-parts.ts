// The content of a run's log, whatever format it is written in: events in, parts out, as they come. Pure.

import { assertNever } from "../base/assert-never.ts";
import { headLines } from "../base/bounded-text.ts";
import { singleLine, wholeChars } from "../base/untrusted-text.ts";
import { ATTEMPTS_EVENT } from "../contract/runs/attempts.ts";
import { CHANGES_EVENT, type ChangesEvent, type HeldBackFile } from "../contract/runs/changes.ts";
import { CHECKS_EVENT } from "../contract/runs/checks.ts";
import {
  APPROVAL_EVENT,
  asRunEvent,
  EGRESS_EVENT,
  NOTICE_EVENT,
  OUTPUT_EVENT,
  PARKED_EVENT,
  PLAN_EVENT,
  QUESTION_EVENT,
  QUOTA_EVENT,
  type QuotaEvent,
  RESUMED_EVENT,
  type ResumedEvent,
  type RunEvent,
  type StoredRunEvent,
} from "../contract/runs/run-event.ts";
import { TYPED_OUTPUT_EVENT } from "../contract/runs/typed-outputs.ts";
import { checksNote } from "../report/check-notes.ts";
import { maskSecrets } from "../report/find-secrets.ts";
import { isFailedResult } from "../report/tool-failure.ts";
import { MAX_TITLE_ARGS_CHARS, toolTitle } from "../report/tool-title.ts";
import { approvalNote } from "./approval-notes.ts";
import { attemptNotes } from "./attempts.ts";
import { egressNotes } from "./egress-notes.ts";
import { plural } from "./quantities.ts";
import { parkedNote, resumptionNote } from "./resumption-notes.ts";

/** "ours" is written by this product; "theirs" is untrusted: by an agent, a model or a repository. */
type Trust = "ours" | "theirs";

/** One piece of a log. A title is one line without hidden characters. Groups do not nest and always close. */
export type LogPart =
  | { readonly kind: "open"; readonly title: string }
  | { readonly kind: "text"; readonly text: string; readonly trust: Trust }
  | { readonly kind: "close" };

/** One format of logs. Takes the parts in order; returns whole lines without their line ends. */
export interface LogFormat {
  lines(parts: readonly LogPart[]): string[];
}

const MAX_RESULT_LINES = 200;
export const MAX_RESULT_CHARS = 16_384;

/** A longer line is printed in pieces of this size. */
const MAX_LINE_CHARS = 8_192;
const MAX_NOTE_CHARS = 500;
const MAX_THOUGHT_TITLE_CHARS = 80;
const RESULT_BELOW = "… still running, the result comes below";
const FAILED = "✗ Failed:";
const NO_RESULT = "… no result: the run has ended";
const NO_RESULT_OF_WORKER = "… no result: its worker is gone";

type PendingCall = { readonly name: string; args: string; title: string | null; wasShown: boolean };

/**
 * Turns events, in order and each once, into parts. A message is given line by line. A call's group opens when its
 * arguments are complete, so that a reader sees what runs now. Of parallel calls one is open at a time; a result that
 * arrives earlier gets its own group.
 */
export class RunLog {
  readonly #calls = new Map<string, PendingCall>();
  readonly #unfinishedLines = new Map<string, string>();
  readonly #thoughts = new Map<string, string>();
  #openCallId: string | null = null;
  #parts: LogPart[] = [];

  add(stored: StoredRunEvent): readonly LogPart[] {
    const event = asRunEvent(stored.event);
    if (event !== null) this.#apply(event);
    return this.#takeParts();
  }

  /** Buffered parts, for a log that ends before the run does. */
  end(): readonly LogPart[] {
    this.#flushMessages();
    this.#leaveGroup("… still running");
    return this.#takeParts();
  }

  #apply(event: RunEvent): void {
    switch (event.type) {
      case "RUN_STARTED":
        this.#note(`Run ${event.runId} started.`);
        return;
      case "RUN_FINISHED":
        this.#endRun();
        this.#note(event.outcome.type === "success" ? "Run completed." : "Run cancelled.");
        return;
      case "RUN_ERROR":
        this.#endRun();
        this.#note(`Run failed (${event.code}): ${event.message}`);
        return;
      case "STEP_STARTED":
        this.#note(`Step: ${event.stepName}`);
        return;
      case "STEP_FINISHED":
        return;
      case "TEXT_MESSAGE_START":
        this.#unfinishedLines.set(event.messageId, "");
        return;
      case "TEXT_MESSAGE_CONTENT":
        this.#addMessageText(event.messageId, event.delta);
        return;
      case "TEXT_MESSAGE_END":
        this.#endMessage(event.messageId);
        return;
      case "REASONING_START":
      case "REASONING_END":
        return;
      case "REASONING_MESSAGE_START":
        this.#thoughts.set(event.messageId, "");
        return;
      case "REASONING_MESSAGE_CONTENT": {
        const thought = this.#thoughts.get(event.messageId);
        if (thought !== undefined && thought.length <= MAX_RESULT_CHARS) {
          this.#thoughts.set(event.messageId, thought + event.delta);
        }
        return;
      }
      case "REASONING_MESSAGE_END":
        this.#showThought(event.messageId);
        return;
      case "TOOL_CALL_START":
        this.#calls.set(event.toolCallId, {
          name: event.toolCallName,
          args: "",
          title: null,
          wasShown: false,
        });
        return;
      case "TOOL_CALL_ARGS": {
        const call = this.#calls.get(event.toolCallId);
        if (call !== undefined && call.args.length <= MAX_TITLE_ARGS_CHARS) call.args += event.delta;
        return;
      }
      case "TOOL_CALL_END": {
        const call = this.#calls.get(event.toolCallId);
        if (call === undefined) return;
        call.title = toolTitle(call.name, maskSecrets(call.args));
        call.args = "";
        this.#showRunningCall();
        return;
      }
      case "TOOL_CALL_RESULT":
        this.#showResult(event.toolCallId, event.content);
        return;
      case "CUSTOM":
        this.#showCustom(event);
        return;
      default:
        assertNever(event);
    }
  }

  #showCustom(event: Extract<RunEvent, { type: "CUSTOM" }>): void {
    switch (event.name) {
      case CHANGES_EVENT:
        this.#note(changesNote(event.value));
        for (const { path, reason } of event.value.held_back ?? []) this.#note(heldBackNote(path, reason));
        return;
      case QUOTA_EVENT:
        this.#note(quotaNote(event.value));
        return;
      case EGRESS_EVENT:
        for (const note of egressNotes(event.value)) this.#note(note);
        return;
      case NOTICE_EVENT:
        this.#note(event.value.text);
        return;
      case RESUMED_EVENT:
        this.#resume(event.value);
        return;
      case PARKED_EVENT:
        this.#note(parkedNote(event.value));
        return;
      case OUTPUT_EVENT:
        this.#note("The reply has the form that was asked for.");
        return;
      case ATTEMPTS_EVENT:
        for (const note of attemptNotes(event.value)) this.#note(maskSecrets(note));
        return;
      case CHECKS_EVENT:
        this.#note(maskSecrets(checksNote(event.value)));
        return;
      // Its steps are in the log as they begin.
      case PLAN_EVENT:
        return;
      case QUESTION_EVENT:
        this.#note("The agent asks a question. The next message of its session answers it.");
        return;
      case APPROVAL_EVENT:
        this.#note(approvalNote(event.value));
        return;
      // The call is in the log, and so is what the job writes.
      case TYPED_OUTPUT_EVENT:
        return;
      default:
        assertNever(event);
    }
  }

  /** A group of its own, once it is complete. */
  #showThought(messageId: string): void {
    const thought = this.#thoughts.get(messageId) ?? "";
    this.#thoughts.delete(messageId);
    if (thought.trim() === "") return;
    this.#leaveGroup(RESULT_BELOW);
    this.#parts.push({
      kind: "open",
      title: `Thought: ${singleLine(maskSecrets(thought), MAX_THOUGHT_TITLE_CHARS)}`,
    });
    this.#showText(thought);
    this.#parts.push({ kind: "close" });
  }

  #addMessageText(messageId: string, delta: string): void {
    const unfinished = this.#unfinishedLines.get(messageId);
    if (unfinished === undefined) return;
    const lastNewline = delta.lastIndexOf("\n");
    let rest = unfinished + delta;
    if (lastNewline !== -1) {
      const lineEnd = unfinished.length + lastNewline;
      this.#sayMessage(rest.slice(0, lineEnd));
      rest = rest.slice(lineEnd + 1);
    }
    while (rest.length > MAX_LINE_CHARS) {
      const piece = wholeChars(rest.slice(0, MAX_LINE_CHARS));
      this.#sayMessage(piece);
      rest = rest.slice(piece.length);
    }
    this.#unfinishedLines.set(messageId, rest);
  }

  #endMessage(messageId: string): void {
    const unfinished = this.#unfinishedLines.get(messageId) ?? "";
    this.#unfinishedLines.delete(messageId);
    if (unfinished !== "") this.#sayMessage(unfinished);
  }

  #flushMessages(): void {
    for (const messageId of [...this.#unfinishedLines.keys()]) this.#endMessage(messageId);
  }

  /** Opens the group of the first call in flight that was not shown, unless a group is open. */
  #showRunningCall(): void {
    if (this.#openCallId !== null) return;
    for (const [id, call] of this.#calls) {
      if (call.title === null || call.wasShown) continue;
      this.#open(id, call);
      return;
    }
  }

  #showResult(id: string, content: string): void {
    const call = this.#calls.get(id) ?? { name: "tool", args: "", title: null, wasShown: false };
    if (this.#openCallId !== id) {
      this.#leaveGroup(RESULT_BELOW);
      this.#open(id, call);
    }
    this.#showText(content);
    this.#close();
    // Below the group, which is folded and was opened before anybody knew.
    if (isFailedResult(call.name, content)) this.#note(`${FAILED} ${titleOf(call)}`);
    this.#calls.delete(id);
    this.#showRunningCall();
  }

  #showText(content: string): void {
    const { head, moreLines } = headLines(maskSecrets(content), {
      maxLines: MAX_RESULT_LINES,
      maxChars: MAX_RESULT_CHARS,
    });
    const hasText = head.trim() !== "";
    if (hasText) this.#parts.push({ kind: "text", text: head.replace(/\n$/, ""), trust: "theirs" });
    else if (moreLines === 0) this.#parts.push({ kind: "text", text: "(no output)", trust: "ours" });
    if (moreLines > 0) {
      const text = `… ${plural(moreLines, "more line")}, in the events file`;
      this.#parts.push({ kind: "text", text, trust: "ours" });
    }
  }

  #endRun(): void {
    this.#cutOff(NO_RESULT);
    this.#calls.clear();
  }

  #resume({ turn, after, unknown_calls, message }: ResumedEvent["value"]): void {
    this.#cutOff(NO_RESULT_OF_WORKER);
    const told = message === undefined ? null : maskSecrets(message);
    this.#note(resumptionNote({ turn, after, unknownCalls: unknown_calls.map(maskSecrets), message: told }));
  }

  #cutOff(reason: string): void {
    this.#flushMessages();
    this.#leaveGroup(reason);
    for (const [id, call] of this.#calls) {
      if (call.wasShown) continue;
      this.#open(id, call);
      this.#leaveGroup(reason);
    }
  }

  #open(id: string, call: PendingCall): void {
    this.#openCallId = id;
    call.wasShown = true;
    this.#parts.push({ kind: "open", title: titleOf(call) });
  }

  #close(): void {
    this.#openCallId = null;
    this.#parts.push({ kind: "close" });
  }

  #leaveGroup(reason: string): void {
    if (this.#openCallId === null) return;
    this.#parts.push({ kind: "text", text: reason, trust: "ours" });
    this.#close();
  }

  /** A line of our own. The names in it are untrusted, so it becomes one safe line. */
  #note(text: string): void {
    this.#leaveGroup(RESULT_BELOW);
    this.#parts.push({ kind: "text", text: singleLine(maskSecrets(text), MAX_NOTE_CHARS), trust: "ours" });
  }

  #sayMessage(text: string): void {
    this.#leaveGroup(RESULT_BELOW);
    this.#parts.push({ kind: "text", text: maskSecrets(text), trust: "theirs" });
  }

  #takeParts(): readonly LogPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }
}

function titleOf({ title, name, args }: PendingCall): string {
  return title ?? toolTitle(name, maskSecrets(args));
}

function changesNote(changes: ChangesEvent["value"]): string {
  if (changes.unreadable !== undefined) return `What was changed could not be read: ${changes.unreadable}`;
  const additions = changes.files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = changes.files.reduce((sum, file) => sum + file.deletions, 0);
  return `Changed ${plural(changes.files.length, "file")}: +${additions} −${deletions}`;
}

function heldBackNote(path: string, reason: HeldBackFile["reason"]): string {
  const why = reason === "protected" ? "it is protected" : "it is too large";
  return `Held back, because ${why}: ${path}`;
}

function quotaNote(quota: QuotaEvent["value"]): string {
  const payer =
    quota.model_billing === "repository" ? " The repository's own model account paid for the tokens." : "";
  const left = `Credits remaining: ${quota.credits_remaining}.${payer}`;
  return quota.claim_url === null ? left : `${left} Claim this agent: ${quota.claim_url}`;
}
