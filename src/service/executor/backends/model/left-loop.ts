// The loop that another worker has left, read from its journal.

import type { ModelMessage } from "ai";
import type { Continuation } from "../../../core/runs/run-journal.ts";
import type { LeftWork } from "../../run-journal.ts";
import type { MeterState } from "../../usage-meter.ts";
import type { CallsBody, LeftCalls, RequestsState, SpendBody, Stopped, TurnBody } from "./loop-state.ts";
import type { PlannedCall } from "./spending.ts";

export type LeftLoop = Pick<TurnBody, "position" | "conversation"> & {
  /** Null where another run's are not this one's. */
  readonly requests: RequestsState | null;
  readonly meter: MeterState | null;
  readonly messages: readonly ModelMessage[];
  readonly instructions: string;
  /** Requests that may have been sent, and whose answers nobody has counted. */
  readonly planned: readonly PlannedCall[];
  /** Null where no call had been begun that acts outside of the run. */
  readonly calls: LeftCalls | null;
  /** What it was given where it was parked, or is forked. Null where it was at work. */
  readonly continued: Continuation | null;
};

/** Null where its first request had not come yet. */
export function leftLoop({ entries }: LeftWork): LeftLoop | null {
  let messages: readonly ModelMessage[] = [];
  let instructions = "";
  let turn: TurnBody | null = null;
  let calls: CallsBody | null = null;
  let meter: MeterState | null = null;
  let planned: readonly PlannedCall[] = [];
  let continued: Continuation | null = null;
  for (const { kind, body } of entries) {
    if (body === undefined || body === null) continue;
    // Sealed by this service, in the form of its version.
    if (kind === "turn" || kind === "kept") {
      turn = body as TurnBody;
      calls = null;
      continued = null;
      planned = turn.planned;
      meter = turn.meter;
      messages = [...messages.slice(0, turn.messages.from), ...turn.messages.added];
      instructions = turn.instructions ?? instructions;
    } else if (kind === "calls") {
      calls = body as CallsBody;
      planned = calls.planned;
      meter = calls.meter;
    } else if (kind === "continued" || kind === "forked") continued = body as Continuation;
    else if (kind === "spend") {
      const spend = body as SpendBody;
      planned = spend.meter === undefined ? [...planned, ...spend.planned] : spend.planned;
      meter = spend.meter ?? meter;
    }
  }
  if (turn === null) return null;
  const { position, requests, conversation } = turn;
  const left = { messages, conversation, instructions, continued };
  if (continued?.forkedFrom !== undefined) {
    const { stopped: _stopped, elicited: _elicited, ...at } = position;
    const fresh = { meter: null, requests: null, planned: [], calls: null };
    return { ...left, ...fresh, position: { ...at, bound: null, isToldSo: false, toldShare: 0 } };
  }
  return { ...left, position, requests, meter, planned, calls };
}

/** Names of tools whose calls were begun, and whose results nobody knows. */
export function unknownCalls({ calls }: LeftLoop): readonly string[] {
  if (calls === null) return [];
  const known = new Set(calls.known.map(({ toolCallId }) => toolCallId));
  const unknown = new Set(calls.begun.filter((id) => !known.has(id)));
  return calls.reply.answer.calls
    .filter(({ toolCallId }) => unknown.has(toolCallId))
    .map(({ toolName }) => toolName);
}

/** The note for the model: what is not as it left it. */
const FILES =
  "The files are as they were after your last turn, but for those that git ignores, such as installed packages and build output: of these there is what the setup makes.";
const FILES_OF_ALL =
  "Others may have changed the files since your last turn: read again what you rely on. Of those that git ignores there is what the setup makes.";
const PROCESSES = "Processes that you started are gone.";
const FILES_AND_PROCESSES = `${FILES} ${PROCESSES}`;

export const TAKEN_UP_NOTE = `[This run goes on on another worker. ${FILES_AND_PROCESSES}]`;

export const UNKNOWN_RESULT =
  "error: this call was begun, and its result is not known, for the worker was lost meanwhile. It was not made again: find out what it did before you repeat it.";

const RAISED = ", and goes on with a higher limit";

const parkedNotes: Readonly<Record<Stopped, string>> = {
  question: ", and goes on",
  max_tokens: RAISED,
  max_cost: RAISED,
  max_turns: RAISED,
  time_limit: RAISED,
  credits: RAISED,
  provider_unavailable: " while its model could not be reached, and goes on",
};

/** Whether the note is the newest message. */
export function isSaidLast(note: string, messages: readonly ModelMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === "user" && last.content === note;
}

/** The note for the model of a run that was parked, or is forked: that it goes on, and what it was told. */
export function continuedNote(
  { message, forkedFrom }: Continuation,
  {
    stopped,
    filesMayBeOthers = false,
  }: { readonly stopped: Stopped | undefined; readonly filesMayBeOthers?: boolean },
): string {
  if (forkedFrom !== undefined) {
    const note = `[This is another attempt, which begins here. ${FILES_AND_PROCESSES}]`;
    return message === null ? note : `${note}\n\n${message}`;
  }
  const files = filesMayBeOthers ? FILES_OF_ALL : FILES;
  const note = `[This run was parked${parkedNotes[stopped ?? "question"]}. ${files} ${PROCESSES}]`;
  return message === null ? `${note}\n\nGo on with what is left undone.` : `${note}\n\n${message}`;
}
