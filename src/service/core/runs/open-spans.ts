// Open messages, tool calls and steps of a run's stream, and the events that close them. Pure. AG-UI allows RUN_FINISHED only
// when nothing is open.

import type { RunEvent, WrittenEvent } from "../../../contract/runs/run-event.ts";

export class OpenSpans {
  readonly #messages = new Set<string>();
  readonly #thoughts = new Set<string>();
  readonly #reasoning = new Set<string>();
  readonly #calls = new Set<string>();
  readonly #steps = new Set<string>();

  add(event: WrittenEvent): void {
    switch (event.type) {
      case "TEXT_MESSAGE_START":
        this.#messages.add(event.messageId);
        break;
      case "TEXT_MESSAGE_END":
        this.#messages.delete(event.messageId);
        break;
      case "REASONING_MESSAGE_START":
        this.#thoughts.add(event.messageId);
        break;
      case "REASONING_MESSAGE_END":
        this.#thoughts.delete(event.messageId);
        break;
      case "REASONING_START":
        this.#reasoning.add(event.messageId);
        break;
      case "REASONING_END":
        this.#reasoning.delete(event.messageId);
        break;
      case "TOOL_CALL_START":
        this.#calls.add(event.toolCallId);
        break;
      case "TOOL_CALL_END":
        this.#calls.delete(event.toolCallId);
        break;
      case "STEP_STARTED":
        this.#steps.add(event.stepName);
        break;
      case "STEP_FINISHED":
        this.#steps.delete(event.stepName);
        break;
      default:
        break;
    }
  }

  /** The events that close everything, innermost kind first. */
  closers(): RunEvent[] {
    return [
      ...[...this.#messages].map((messageId): RunEvent => ({ type: "TEXT_MESSAGE_END", messageId })),
      ...[...this.#thoughts].map((messageId): RunEvent => ({ type: "REASONING_MESSAGE_END", messageId })),
      ...[...this.#reasoning].map((messageId): RunEvent => ({ type: "REASONING_END", messageId })),
      ...[...this.#calls].map((toolCallId): RunEvent => ({ type: "TOOL_CALL_END", toolCallId })),
      ...[...this.#steps].map((stepName): RunEvent => ({ type: "STEP_FINISHED", stepName })),
    ];
  }
}
