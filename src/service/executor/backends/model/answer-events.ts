// Turns one streamed answer into events of the run. Every message that is started is ended, also on failure.

import type { TextStreamPart, ToolSet } from "ai";
import type { RunEvent } from "../../../../contract/runs/run-event.ts";
import type { BackendTask } from "../../backend.ts";
import type { CallEffect } from "../../call-effect.ts";

const MAX_NAME_CHARS = 100;

export type AnswerPart = TextStreamPart<ToolSet>;

/** Receives an answer while it streams. */
export interface AnswerListener {
  take(part: AnswerPart): Promise<void>;
  /** The answer is over: ends what is open. */
  close(ending: AnswerEnding): Promise<void>;
}

/** `cut`: its connection was. `full`: the model's output limit cut it. Either may be continued by another answer. */
type AnswerEnding = "whole" | "cut" | "full";

/** Ignores the answer: for calls whose text is not part of the run's reply. */
export const silentListener: AnswerListener = { take: async () => {}, close: async () => {} };

type Speech = { readonly kind: "text" | "thought"; readonly messageId: string };
type ShownCall = { readonly id: string; isOpen: boolean; hasInput: boolean };

export class AnswerEvents implements AnswerListener {
  readonly #task: Pick<BackendTask, "emit" | "nextId">;
  readonly #calls = new Map<string, ShownCall>();
  /** One at a time: some APIs end a text only after the calls that follow it. */
  #speech: Speech | null = null;
  /** A text that was cut, and is still open: the next answer goes on with it. */
  #cutText: Speech | null = null;

  /** `before`: the answer that this one may continue. */
  constructor(task: Pick<BackendTask, "emit" | "nextId">, before: AnswerEvents | null = null) {
    this.#task = task;
    this.#cutText = before === null ? null : before.#handOver();
  }

  async take(part: AnswerPart): Promise<void> {
    switch (part.type) {
      case "text-delta":
        return await this.#speak("text", part.text);
      case "reasoning-delta":
        return await this.#speak("thought", part.text);
      case "tool-input-start":
        await this.#begin(part.id, part.toolName);
        return;
      case "tool-input-delta":
        return await this.#addInput(part.id, part.delta);
      case "tool-call": {
        const call = await this.#begin(part.toolCallId, part.toolName);
        if (!call.hasInput) await this.#addInput(part.toolCallId, inputText(part.input));
        return await this.#end(call);
      }
      default:
    }
  }

  async close(ending: AnswerEnding): Promise<void> {
    if (ending !== "whole" && this.#speech?.kind === "text" && this.#calls.size === 0) {
      this.#cutText = this.#speech;
      this.#speech = null;
    }
    await this.#fallSilent();
    if (ending === "whole") await this.settle();
    for (const call of this.#calls.values()) {
      await this.#end(call);
      if (ending === "cut")
        await this.answer(call.id, "error: the answer was cut off, and this call was not made", "none");
    }
  }

  /** Ends a text that nothing continues. Safe to repeat. */
  async settle(): Promise<void> {
    const text = this.#handOver();
    if (text !== null) await this.#emit({ type: "TEXT_MESSAGE_END", messageId: text.messageId });
  }

  #handOver(): Speech | null {
    const text = this.#cutText;
    this.#cutText = null;
    return text;
  }

  /** The run's id of the model's call id. */
  callId(modelsId: string): string {
    return this.#calls.get(modelsId)?.id ?? modelsId;
  }

  async answer(toolCallId: string, content: string, effect: CallEffect): Promise<void> {
    const messageId = this.#task.nextId("message");
    await this.#task.emit({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" }, effect);
  }

  async #speak(kind: Speech["kind"], delta: string): Promise<void> {
    if (delta === "") return;
    const { messageId } = this.#speech?.kind === kind ? this.#speech : await this.#startToSpeak(kind);
    const type = kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
    await this.#emit({ type, messageId, delta });
  }

  async #startToSpeak(kind: Speech["kind"]): Promise<Speech> {
    await this.#fallSilent();
    const continued = kind === "text" ? this.#handOver() : null;
    if (continued !== null) {
      this.#speech = continued;
      return continued;
    }
    const messageId = this.#task.nextId("message");
    const speech = { kind, messageId };
    this.#speech = speech;
    if (kind === "text") await this.#emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    else {
      await this.#emit({ type: "REASONING_START", messageId });
      await this.#emit({ type: "REASONING_MESSAGE_START", messageId, role: "reasoning" });
    }
    return speech;
  }

  async #fallSilent(): Promise<void> {
    if (this.#speech === null) return;
    const { kind, messageId } = this.#speech;
    this.#speech = null;
    if (kind === "text") return await this.#emit({ type: "TEXT_MESSAGE_END", messageId });
    await this.#emit({ type: "REASONING_MESSAGE_END", messageId });
    await this.#emit({ type: "REASONING_END", messageId });
  }

  async #begin(modelsId: string, name: string): Promise<ShownCall> {
    const known = this.#calls.get(modelsId);
    if (known !== undefined) return known;
    await this.#fallSilent();
    await this.settle();
    const call = { id: this.#task.nextId("call"), isOpen: true, hasInput: false };
    this.#calls.set(modelsId, call);
    const toolCallName = name.slice(0, MAX_NAME_CHARS);
    await this.#emit({ type: "TOOL_CALL_START", toolCallId: call.id, toolCallName });
    return call;
  }

  async #addInput(modelsId: string, delta: string): Promise<void> {
    const call = this.#calls.get(modelsId);
    if (call === undefined || !call.isOpen || delta === "") return;
    call.hasInput = true;
    await this.#emit({ type: "TOOL_CALL_ARGS", toolCallId: call.id, delta });
  }

  async #end(call: ShownCall): Promise<void> {
    if (!call.isOpen) return;
    call.isOpen = false;
    await this.#emit({ type: "TOOL_CALL_END", toolCallId: call.id });
  }

  async #emit(event: RunEvent): Promise<void> {
    await this.#task.emit(event);
  }
}

function inputText(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input) ?? "{}");
}

/** Of an answer that readers of the run do not see: that of an agent beside the one whose run it is. */
export function unseenEvents(): AnswerEvents {
  let ids = 0;
  return new AnswerEvents({
    emit: async () => {},
    nextId: (kind) => {
      ids += 1;
      return `${kind}-${ids}`;
    },
  });
}
