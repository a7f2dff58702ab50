// The state of the loop as its journal keeps it, and as another worker goes on from it.

import type { ModelMessage } from "ai";
import type { parkStops, StopReason } from "../../../../contract/runs/run.ts";
import type { CheckRecordState } from "../../checks/check-record.ts";
import type { ElicitedState } from "../../tools/mcp/elicitations.ts";
import type { MeterState } from "../../usage-meter.ts";
import type { ModelResponse } from "./model-call.ts";
import type { PlannedCall, SpendingBound } from "./spending.ts";
import type { Refusal } from "./wires/refusals.ts";

/** `text` is all of it, also of an answer that came in several tries. `shortOf`: why it had less room than asked for. */
export type GivenReply = {
  readonly ok: true;
  readonly answer: ModelResponse;
  readonly text: string;
  readonly shortOf: SpendingBound | null;
};

export type RepeatedCallsState = { readonly last: string; readonly count: number };

export type CutAnswersState = { readonly inARow: number; readonly said: string };

/** What is done at most once a run. */
export type Once = "nudge" | "review" | "repair";

export type FollowUpsState = {
  readonly hasActed: boolean;
  readonly hasWritten: boolean;
  /** Absent: an earlier version has left none. */
  readonly checks?: CheckRecordState;
  /** How often it was asked for checks, and whether it has called a tool since. */
  readonly checksAsked?: number;
  readonly hasCalledSince?: boolean;
  readonly done: readonly Once[];
};

/** What is known of a model's window. Null: no such limit. */
export type WindowState = {
  readonly windowTokens: number;
  readonly mostInputTokens: number | null;
  readonly mostAnswerTokens: number | null;
  /** Of the model's count of tokens to the estimate. */
  readonly ratio: number;
};

/** What APIs have refused, by the ids of models. */
export type QuirksState = Readonly<Record<string, readonly Refusal[]>>;

/** `untilMs` is by the nodes' clocks, which agree well enough. `what`: why, as sentences. */
export type WaitState = { readonly untilMs: number; readonly what: string };

export type RequestsState = {
  readonly failedSummaries: number;
  readonly hasAnswered: boolean;
  readonly fallbackId: string | null;
  /** By the ids of models. */
  readonly windows: Readonly<Record<string, WindowState>>;
  readonly quirks: QuirksState;
  /** A wait that the model's API has asked for. Null: there is none. */
  readonly wait: WaitState | null;
};

export type SentHistoryState = { readonly reader: string | null; readonly refusals: number };

export type ConversationState = SentHistoryState & {
  readonly plan: string | null;
  /** The place of the user's last request; -1 where it is not among the messages. */
  readonly task: number;
};

/** Why a run stopped before it was parked. */
export type Stopped = (typeof parkStops)[number] | "provider_unavailable";

export type LoopPosition = {
  /** The turn whose request comes next. */
  readonly turn: number;
  readonly bound: StopReason | null;
  readonly isToldSo: boolean;
  /** Turns before it count towards no limit. Absent: all do. */
  readonly countedFrom?: number;
  /** Why the run stopped before it was parked. Absent: it did not. */
  readonly stopped?: Stopped;
  readonly repeated: RepeatedCallsState;
  /** The share of a bound of whose use the model was told last. */
  readonly toldShare: number;
  readonly cutAnswers: CutAnswersState;
  readonly followUps: FollowUpsState;
  /** Questions of MCP servers that wait for an answer, or for their tool to be called again. Absent: there are none. */
  readonly elicited?: readonly ElicitedState[];
};

/** A call of a tool with its result. */
export type KnownResult = { readonly toolCallId: string; readonly ok: boolean; readonly text: string };

/** A call that is about to be made. */
export type BegunCall = { readonly toolCallId: string; readonly isRepeatable: boolean };

/** An answer whose calls are under way. */
export type LeftCalls = {
  readonly reply: GivenReply;
  /** Of calls that act outside of the run. */
  readonly known: readonly KnownResult[];
  /** Ids of those that were begun, and are not made again. */
  readonly begun: readonly string[];
  /** Ids of those that were begun, and are made again. */
  readonly again: readonly string[];
};

/** The body of an entry `turn` or `kept`. */
export type TurnBody = {
  readonly position: LoopPosition;
  readonly requests: RequestsState;
  readonly meter: MeterState;
  /** Messages from `from` on; those before are as in the entries before. */
  readonly messages: { readonly from: number; readonly added: readonly ModelMessage[] };
  readonly conversation: ConversationState;
  /** Null where an earlier entry has it. */
  readonly instructions: string | null;
  /** Requests that may have been sent, and whose answers are not counted. */
  readonly planned: readonly PlannedCall[];
};

/** Entries of older versions have the one request that is about to be sent, and no meter. */
export type SpendBody = Pick<TurnBody, "planned"> & Partial<Pick<TurnBody, "meter">>;

export type CallsBody = LeftCalls & Pick<TurnBody, "meter" | "planned">;

/** Keeps a request before it is sent. Resolves with what is to be called after its answer. */
export interface RequestJournal {
  beforeRequest(planned: PlannedCall, of: { readonly isTurn: boolean }): Promise<() => void>;
}

/** Keeps the loop before a wait between two requests of a turn. */
export interface WaitJournal {
  beforeWait(): Promise<void>;
}

/** Keeps a call that acts outside of the run before it is made. */
export interface CallJournal {
  /** Whether another worker could go on with the run. */
  readonly isKept: boolean;
  beforeCall(reply: GivenReply, call: BegunCall): Promise<void>;
  /** The result is a part of the next entry. */
  afterCall(result: KnownResult): void;
}
