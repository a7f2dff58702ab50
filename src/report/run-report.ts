// The report of one run, as a value: its state, messages, tool calls, changes and reply. Pure, and free of schemas.

import type { Excerpt } from "../base/bounded-text.ts";
import type { AttemptsEvent } from "../contract/runs/attempts.ts";
import type { ChangesEvent } from "../contract/runs/changes.ts";
import type { ChecksEvent } from "../contract/runs/checks.ts";
import type { Parked } from "../contract/runs/run.ts";
import type {
  ApprovalEvent,
  EgressEvent,
  OutputEvent,
  PlanStep,
  QuestionEvent,
  QuotaEvent,
  ResumedEvent,
} from "../contract/runs/run-event.ts";
import type { TypedOutput } from "../contract/runs/typed-outputs.ts";

/** Times are milliseconds since the epoch, from the events. */
type ReportState =
  | { readonly status: "unknown" }
  | { readonly status: "running"; readonly startedAtMs: number }
  | { readonly status: "completed" | "cancelled"; readonly startedAtMs: number; readonly endedAtMs: number }
  | {
      readonly status: "failed";
      readonly startedAtMs: number;
      readonly endedAtMs: number;
      readonly message: string;
      readonly cause: string;
    };

export type AssistantMessage = {
  readonly seq: number;
  readonly id: string;
  readonly text: string;
  /** False while it is being written: only then may the text hold a secret that is not masked. */
  readonly isWhole: boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
};

/** What the model thought before it spoke or called, as far as its maker shows it: the beginning. */
export type Thought = AssistantMessage;

/** `result` and `endedAtMs` are null while there is no result. A call that is cut off ended without one. */
export type ToolCall = {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  /** One safe line: the name and the arguments' values. */
  readonly title: string;
  readonly args: Excerpt;
  readonly result: Excerpt | null;
  /** How the command ended: "exit code 1". Null of another tool, and where the result does not say it. */
  readonly ending: string | null;
  /** The end of a failed call's result of which `result` has only the beginning; null where that has all of it. */
  readonly resultEnd: string | null;
  /** The tool answered with an error, or the command did not end with 0. */
  readonly hasFailed: boolean;
  /** The worker that had begun it was gone before there was a result. */
  readonly isCutOff: boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
};

export type Step = {
  readonly seq: number;
  readonly name: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
};

/** Notices of the service about the run's work: that it waits, that the conversation was summarised. */
export type Notice = { readonly seq: number; readonly text: string };

/** A run that another worker took up again. `unknownCalls` are the names of tools: untrusted. */
export type Resumption = {
  readonly seq: number;
  readonly turn: number;
  readonly after: ResumedEvent["value"]["after"];
  readonly unknownCalls: readonly string[];
  /** What it was told: untrusted. Null where nothing was said. */
  readonly message: string | null;
};

export type RunReport = {
  readonly runId: string | null;
  readonly threadId: string | null;
  readonly state: ReportState;
  readonly messages: readonly AssistantMessage[];
  readonly thoughts: readonly Thought[];
  readonly calls: readonly ToolCall[];
  readonly steps: readonly Step[];
  /** The first ones. */
  readonly notices: readonly Notice[];
  /** The newest ones. */
  readonly resumptions: readonly Resumption[];
  /** What it waits for; null while it does not. */
  readonly parked: Parked | null;
  /** The time that it was parked for, until it went on or ended. */
  readonly parkedMs: number;
  /** The last question that it asked, answered or not. Null where it asked none. */
  readonly question: QuestionEvent["value"] | null;
  /** The agent's plan as it was last; empty where it had none. */
  readonly plan: readonly PlanStep[];
  /** How its checks ended since its last edit. Null where nothing was changed or checked, and before the end. */
  readonly checks: ChecksEvent["value"] | null;
  /** Its attempts at the same task, of which one is chosen. Null: it makes one, as every run. */
  readonly attempts: AttemptsEvent["value"] | null;
  readonly changes: ChangesEvent["value"] | null;
  readonly quota: QuotaEvent["value"] | null;
  /** Network access that was withheld, hosts that were reached and blocked. Null where nothing was. */
  readonly egress: EgressEvent["value"] | null;
  /** Writes by MCP servers that the run was not allowed: one a server. */
  readonly approvals: readonly ApprovalEvent["value"][];
  /** What it asks its job to write: the first ones. Untrusted, and not checked against what the job has declared. */
  readonly typedOutputs: readonly TypedOutput[];
  /** The reply as data, where that was asked for. */
  readonly output: { readonly value: OutputEvent["value"] } | null;
  readonly lastEventAtMs: number | null;
};

/** The report of a run without events, or of none. */
export function emptyReport(): RunReport {
  return {
    runId: null,
    threadId: null,
    state: { status: "unknown" },
    messages: [],
    thoughts: [],
    calls: [],
    steps: [],
    notices: [],
    resumptions: [],
    parked: null,
    parkedMs: 0,
    question: null,
    plan: [],
    checks: null,
    attempts: null,
    changes: null,
    quota: null,
    egress: null,
    approvals: [],
    typedOutputs: [],
    output: null,
    lastEventAtMs: null,
  };
}

/** The agent's answer: its last message with text in it. Null when there is none. */
export function replyMessage(report: RunReport): AssistantMessage | null {
  return report.messages.findLast((message) => message.text.trim() !== "") ?? null;
}

/** From the run's start to its end, or to its last event so far, without the time that it was parked. Null before the start. */
export function elapsedMs(report: RunReport): number | null {
  const { state } = report;
  if (state.status === "unknown") return null;
  const endMs = state.status === "running" ? (report.lastEventAtMs ?? state.startedAtMs) : state.endedAtMs;
  return Math.max(0, endMs - state.startedAtMs - report.parkedMs);
}
