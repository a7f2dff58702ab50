// Answers that the model's output limit cut, or that its API has paused: a text is continued, a call that was cut is not made, and
// the model is told what to do.
// Why: docs/decisions/021-the-loop.md

import type { ModelMessage } from "ai";
import type { CutAnswersState } from "./loop-state.ts";
import type { MadeCall, ModelResponse } from "./model-call.ts";

/** In a row. Each costs the whole conversation once more. */
const MAX_CONTINUATIONS = 3;

const GO_ON_NOTE =
  "[Your answer was cut at the output limit. Go on exactly where you stopped, without repeating it.]";
/** Today's models take no history that ends with their own words: a paused answer is not sent back alone. */
const PAUSED_NOTE =
  "[The API paused your answer there. Go on exactly where you stopped, without repeating it.]";
const SILENT_NOTE =
  "[Your answer reached the output limit before it said anything. Think less, and answer or call a tool at once.]";

export const CUT_CALL_RESULT =
  "error: the call was cut at the output limit of an answer, and was not made. Make it smaller, for instance write the file in parts.";

export class CutAnswers {
  #inARow: number;
  #said: string;

  constructor({ inARow, said }: CutAnswersState = { inARow: 0, said: "" }) {
    this.#inARow = inARow;
    this.#said = said;
  }

  get state(): CutAnswersState {
    return { inARow: this.#inARow, said: this.#said };
  }

  /** The message for the model after its answer; null where it stands as it is, cut or not. */
  next(
    answer: ModelResponse,
    { text, cut }: { readonly text: string; readonly cut: readonly MadeCall[] },
  ): string | null {
    const isPaused = answer.finish === "pause" && answer.calls.length === 0;
    if ((answer.finish !== "length" && !isPaused) || this.#inARow >= MAX_CONTINUATIONS) return null;
    this.#inARow += 1;
    if (cut.length > 0) {
      this.#said = "";
      const names = [...new Set(cut.map(({ toolName }) => toolName.slice(0, 100)))].join(", ");
      return `[Your call of ${names} was cut at the output limit, and was not made. Make it smaller: for instance write the file in parts, or edit it in several steps.]`;
    }
    this.#said += text;
    if (isPaused) return PAUSED_NOTE;
    return text.trim() === "" ? SILENT_NOTE : GO_ON_NOTE;
  }

  /** The whole text of an answer that came in several, up to this last part of it. Afterwards the next one begins. */
  join(text: string): string {
    const whole = this.#said + text;
    this.#inARow = 0;
    this.#said = "";
    return whole;
  }
}

/** An answer without the calls that the limit has cut: they must not be in the history with inputs that nobody wrote. */
export function withoutCutCalls(answer: ModelResponse): {
  readonly answer: ModelResponse;
  readonly cut: readonly MadeCall[];
} {
  if (answer.finish !== "length") return { answer, cut: [] };
  const cut = answer.calls.filter(
    (call, at) => isCut(call) || (at === answer.calls.length - 1 && isEmpty(call)),
  );
  if (cut.length === 0) return { answer, cut };
  const ids = new Set(cut.map(({ toolCallId }) => toolCallId));
  return {
    answer: {
      ...answer,
      calls: answer.calls.filter(({ toolCallId }) => !ids.has(toolCallId)),
      messages: answer.messages.flatMap((message) => withoutCalls(message, ids)),
    },
    cut,
  };
}

function withoutCalls(message: ModelMessage, ids: ReadonlySet<string>): ModelMessage[] {
  if (message.role !== "assistant" || typeof message.content === "string") return [message];
  const content = message.content.filter((part) => part.type !== "tool-call" || !ids.has(part.toolCallId));
  return [{ ...message, content }];
}

/** Its arguments ended in the middle. */
function isCut({ input, fault }: MadeCall): boolean {
  return fault !== null && typeof input === "string";
}

/** Its arguments had not begun. */
function isEmpty({ input }: MadeCall): boolean {
  return typeof input === "object" && input !== null && Object.keys(input).length === 0;
}
