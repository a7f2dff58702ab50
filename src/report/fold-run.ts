// Folds a run's events into its report as they come. Each event costs the same, however long the run. What looks like a
// secret is masked: a report is published. Pure.

import { assertNever } from "../base/assert-never.ts";
import { type Excerpt, excerpt, lastChars } from "../base/bounded-text.ts";
import { wholeChars } from "../base/untrusted-text.ts";
import { ATTEMPTS_EVENT, type AttemptsEvent } from "../contract/runs/attempts.ts";
import { CHANGES_EVENT } from "../contract/runs/changes.ts";
import { CHECKS_EVENT, type ChecksEvent } from "../contract/runs/checks.ts";
import {
  APPROVAL_EVENT,
  type ApprovalEvent,
  asRunEvent,
  EGRESS_EVENT,
  NOTICE_EVENT,
  OUTPUT_EVENT,
  type OutputEvent,
  PARKED_EVENT,
  PLAN_EVENT,
  QUESTION_EVENT,
  QUOTA_EVENT,
  RESUMED_EVENT,
  type ResumedEvent,
  type RunEvent,
  type StoredRunEvent,
} from "../contract/runs/run-event.ts";
import { TYPED_OUTPUT_EVENT, type TypedOutput } from "../contract/runs/typed-outputs.ts";
import { maskSecrets, maskSecretsInData } from "./find-secrets.ts";
import {
  type AssistantMessage,
  emptyReport,
  type Notice,
  type Resumption,
  type RunReport,
  type Step,
  type Thought,
  type ToolCall,
} from "./run-report.ts";
import { commandEnding, isFailedResult } from "./tool-failure.ts";
import { MAX_TITLE_ARGS_CHARS, toolTitle } from "./tool-title.ts";

/** The most that is kept of one call's arguments, and of its result. */
export const MAX_KEPT_CHARS = 8_192;
/** The most that is kept of all calls together; beyond it the oldest lose theirs. More than a summary can show. */
export const MAX_KEPT_CHARS_IN_ALL = 4_194_304;
/** Of the end of a failed call's result that is longer than what is kept. */
const MAX_END_CHARS = 2_000;
/** Of one thought; more is read of it, so that a secret at the end of what is kept is known as one. */
const MAX_THOUGHT_CHARS = 4_096;
const MAX_READ_CHARS = 8_192;
/** Of the notices of a run, which are a few. */
const MAX_NOTICES = 100;
const MAX_RESUMPTIONS = 100;
const MAX_APPROVALS = 10;
/** Beyond all maxima of a declaration. */
const MAX_TYPED_OUTPUTS = 200;

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };
type Lists =
  | "messages"
  | "thoughts"
  | "calls"
  | "steps"
  | "notices"
  | "resumptions"
  | "approvals"
  | "typedOutputs";
type ReportDraft = Draft<Omit<RunReport, Lists>> & {
  readonly messages: Draft<AssistantMessage>[];
  readonly thoughts: Draft<Thought>[];
  readonly calls: Draft<ToolCall>[];
  readonly steps: Draft<Step>[];
  readonly notices: Notice[];
  readonly resumptions: Resumption[];
  readonly approvals: ApprovalEvent["value"][];
  readonly typedOutputs: TypedOutput[];
};

/** Adds events, in order and each once, to one report. Events of an unknown kind change nothing but the time. */
export class RunReportFold {
  readonly #draft: ReportDraft;
  /** Those that are being written, thoughts too. */
  readonly #messages = new Map<
    string,
    { readonly message: Draft<AssistantMessage>; readonly maxChars: number }
  >();
  readonly #calls = new Map<string, Draft<ToolCall>>();
  /** Arguments that are still arriving: `toolTitle` needs them whole. */
  readonly #args = new Map<string, string>();
  readonly #openSteps = new Map<string, Draft<Step>>();
  #keptChars = 0;
  #oldestKept = 0;

  /** From a report that is known already: see `resumption`. */
  constructor(known: RunReport = emptyReport()) {
    const steps = known.steps.map((step) => ({ ...step }));
    this.#draft = {
      ...known,
      messages: [...known.messages],
      thoughts: [...known.thoughts],
      calls: [...known.calls],
      steps,
      notices: [...known.notices],
      resumptions: [...known.resumptions],
      approvals: [...known.approvals],
      typedOutputs: [...known.typedOutputs],
    };
    for (const step of steps) if (step.endedAtMs === null) this.#openSteps.set(step.name, step);
  }

  /** A live view: it changes with the next `add`. */
  get report(): RunReport {
    return this.#draft;
  }

  add(stored: StoredRunEvent): void {
    const atMs = Date.parse(stored.at);
    this.#draft.lastEventAtMs = atMs;
    const event = asRunEvent(stored.event);
    if (event !== null) this.#apply(event, { seq: stored.seq, atMs });
  }

  #apply(event: RunEvent, { seq, atMs }: { seq: number; atMs: number }): void {
    const draft = this.#draft;
    const { state } = draft;
    const startedAtMs = state.status === "unknown" ? atMs : state.startedAtMs;
    switch (event.type) {
      case "RUN_STARTED":
        draft.runId = event.runId;
        draft.threadId = event.threadId;
        draft.state = { status: "running", startedAtMs };
        return;
      case "RUN_FINISHED": {
        const status = event.outcome.type === "success" ? "completed" : "cancelled";
        draft.state = { status, startedAtMs, endedAtMs: atMs };
        this.#unpark(atMs);
        this.end();
        return;
      }
      case "RUN_ERROR": {
        this.end();
        const { message: said, code } = event;
        const message = maskSecrets(said);
        draft.state = { status: "failed", startedAtMs, endedAtMs: atMs, message, cause: code };
        this.#unpark(atMs);
        return;
      }
      case "STEP_STARTED": {
        const step = { seq, name: event.stepName, startedAtMs: atMs, endedAtMs: null };
        draft.steps.push(step);
        this.#openSteps.set(event.stepName, step);
        return;
      }
      case "STEP_FINISHED": {
        const step = this.#openSteps.get(event.stepName);
        if (step !== undefined) step.endedAtMs = atMs;
        this.#openSteps.delete(event.stepName);
        return;
      }
      case "TEXT_MESSAGE_START":
        draft.messages.push(this.#begin(event.messageId, { seq, atMs }));
        return;
      case "TEXT_MESSAGE_CONTENT": {
        const written = this.#messages.get(event.messageId);
        if (written !== undefined) written.message.text += event.delta;
        return;
      }
      case "TEXT_MESSAGE_END":
      case "REASONING_MESSAGE_END":
        this.#endMessage(event.messageId, atMs);
        return;
      case "REASONING_MESSAGE_START":
        draft.thoughts.push(this.#begin(event.messageId, { seq, atMs, maxChars: MAX_THOUGHT_CHARS }));
        return;
      case "REASONING_MESSAGE_CONTENT": {
        const thought = this.#messages.get(event.messageId)?.message;
        if (thought !== undefined && thought.text.length <= MAX_READ_CHARS) thought.text += event.delta;
        return;
      }
      case "TOOL_CALL_START": {
        const call = {
          seq,
          id: event.toolCallId,
          name: event.toolCallName,
          title: toolTitle(event.toolCallName, ""),
          args: excerpt("", 0),
          result: null,
          ending: null,
          resultEnd: null,
          hasFailed: false,
          isCutOff: false,
          startedAtMs: atMs,
          endedAtMs: null,
        };
        draft.calls.push(call);
        this.#calls.set(event.toolCallId, call);
        this.#args.set(event.toolCallId, "");
        return;
      }
      case "TOOL_CALL_ARGS": {
        const args = this.#args.get(event.toolCallId);
        if (args === undefined || args.length > MAX_TITLE_ARGS_CHARS) return;
        this.#args.set(event.toolCallId, args + event.delta);
        return;
      }
      case "TOOL_CALL_END": {
        const call = this.#calls.get(event.toolCallId);
        const given = this.#args.get(event.toolCallId);
        this.#args.delete(event.toolCallId);
        if (call === undefined || given === undefined) return;
        const args = maskSecrets(given);
        call.title = toolTitle(call.name, args);
        call.args = this.#keep(args);
        return;
      }
      case "TOOL_CALL_RESULT": {
        const call = this.#calls.get(event.toolCallId);
        if (call === undefined) return;
        const content = maskSecrets(event.content);
        call.result = this.#keep(content);
        call.ending = commandEnding(call.name, content);
        call.hasFailed = isFailedResult(call.name, event.content);
        if (call.hasFailed && call.result.omittedChars > 0)
          call.resultEnd = lastChars(content, MAX_END_CHARS);
        call.isCutOff = false;
        call.endedAtMs = atMs;
        this.#calls.delete(event.toolCallId);
        return;
      }
      case "CUSTOM":
        this.#addOwn(event, { seq, atMs });
        return;
      case "REASONING_START":
      case "REASONING_END":
        return;
      default:
        assertNever(event);
    }
  }

  #addOwn(event: Extract<RunEvent, { type: "CUSTOM" }>, at: { seq: number; atMs: number }): void {
    const draft = this.#draft;
    switch (event.name) {
      case CHANGES_EVENT:
        draft.changes = event.value;
        return;
      case QUOTA_EVENT:
        draft.quota = event.value;
        return;
      case EGRESS_EVENT:
        draft.egress = event.value;
        return;
      case APPROVAL_EVENT:
        if (draft.approvals.length < MAX_APPROVALS) draft.approvals.push(event.value);
        return;
      case TYPED_OUTPUT_EVENT:
        if (draft.typedOutputs.length < MAX_TYPED_OUTPUTS)
          draft.typedOutputs.push(maskSecretsInData(event.value) as TypedOutput);
        return;
      case NOTICE_EVENT:
        if (draft.notices.length < MAX_NOTICES)
          draft.notices.push({ seq: at.seq, text: maskSecrets(event.value.text) });
        return;
      case RESUMED_EVENT:
        this.#resume(event.value, at);
        return;
      case PARKED_EVENT:
        draft.parked = event.value;
        return;
      case QUESTION_EVENT: {
        const { question, choices } = event.value;
        draft.question = { question: maskSecrets(question), choices: choices.map(maskSecrets) };
        return;
      }
      case PLAN_EVENT:
        draft.plan = event.value.steps.map((step) => ({ ...step, text: maskSecrets(step.text) }));
        return;
      case ATTEMPTS_EVENT:
        draft.attempts = maskedAttempts(event.value);
        return;
      case CHECKS_EVENT:
        draft.checks = maskedChecks(event.value);
        return;
      case OUTPUT_EVENT:
        draft.output = { value: maskSecretsInData(event.value) as OutputEvent["value"] };
        return;
      default:
        assertNever(event);
    }
  }

  /** No more events come. What was cut off is read whole only now: a secret may arrive in pieces. Safe to repeat. */
  end(): void {
    for (const id of [...this.#messages.keys()]) this.#endMessage(id, this.#draft.lastEventAtMs);
  }

  /** What the worker before had begun does not go on. The service has closed it in the stream, except for results of calls. */
  #resume(
    { turn, after, unknown_calls, message }: ResumedEvent["value"],
    { seq, atMs }: { seq: number; atMs: number },
  ) {
    this.end();
    this.#args.clear();
    for (const call of this.#calls.values()) {
      if (call.endedAtMs !== null) continue;
      call.isCutOff = true;
      call.endedAtMs = atMs;
    }
    for (const step of this.#openSteps.values()) step.endedAtMs = atMs;
    this.#openSteps.clear();
    this.#unpark(atMs);
    const { resumptions } = this.#draft;
    const told = message === undefined ? null : maskSecrets(message);
    resumptions.push({ seq, turn, after, unknownCalls: unknown_calls.map(maskSecrets), message: told });
    if (resumptions.length > MAX_RESUMPTIONS) resumptions.shift();
  }

  #unpark(atMs: number): void {
    const { parked } = this.#draft;
    if (parked === null) return;
    this.#draft.parked = null;
    this.#draft.parkedMs += Math.max(0, atMs - Date.parse(parked.since));
  }

  #begin(
    id: string,
    { seq, atMs, maxChars = Number.POSITIVE_INFINITY }: { seq: number; atMs: number; maxChars?: number },
  ): Draft<AssistantMessage> {
    const message = { seq, id, text: "", isWhole: false, startedAtMs: atMs, endedAtMs: null };
    this.#messages.set(id, { message, maxChars });
    return message;
  }

  #endMessage(id: string, atMs: number | null): void {
    const written = this.#messages.get(id);
    this.#messages.delete(id);
    if (written === undefined) return;
    const { message, maxChars } = written;
    const text = maskSecrets(message.text);
    message.text = text.length <= maxChars ? text : wholeChars(text.slice(0, maxChars));
    message.isWhole = true;
    message.endedAtMs = atMs;
  }

  #keep(text: string): Excerpt {
    const kept = excerpt(text, MAX_KEPT_CHARS);
    this.#keptChars += kept.text.length;
    while (this.#keptChars > MAX_KEPT_CHARS_IN_ALL && this.#oldestKept < this.#draft.calls.length - 1) {
      const oldest = this.#draft.calls[this.#oldestKept++];
      if (oldest !== undefined) this.#forget(oldest);
    }
    return kept;
  }

  #forget(call: Draft<ToolCall>): void {
    this.#keptChars -= call.args.text.length + (call.result?.text.length ?? 0);
    call.resultEnd = null;
    call.args = emptied(call.args);
    if (call.result !== null) call.result = emptied(call.result);
  }
}

function maskedChecks({ state, results }: ChecksEvent["value"]): ChecksEvent["value"] {
  return { state, results: results.map((one) => ({ ...one, command: maskSecrets(one.command) })) };
}

function maskedAttempts({ attempts, judge }: AttemptsEvent["value"]): AttemptsEvent["value"] {
  return {
    attempts: attempts.map((one) => ({
      ...one,
      checks: one.checks === null ? null : maskedChecks(one.checks),
      ...(one.detail === undefined ? {} : { detail: maskSecrets(one.detail) }),
    })),
    judge:
      judge === null ? null : { ...judge, reason: judge.reason === null ? null : maskSecrets(judge.reason) },
  };
}

function emptied(kept: Excerpt): Excerpt {
  return { text: "", omittedChars: kept.omittedChars + kept.text.length };
}
