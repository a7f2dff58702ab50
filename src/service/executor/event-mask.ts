// Masks the known secrets in the events of one run, also where a message's deltas split one.

import type { RunEvent } from "../../contract/runs/run-event.ts";
import type { MaskedStream, SecretMask } from "./secret-mask.ts";

type Delta = Extract<RunEvent, { readonly delta: string }>;

export class EventMask {
  readonly #mask: SecretMask;
  readonly #streams = new Map<string, { readonly masked: MaskedStream; readonly last: Delta }>();

  constructor(mask: SecretMask) {
    this.#mask = mask;
  }

  /** The events to be written in place of this one: none while the end of a delta may be the beginning of a secret. */
  apply(event: RunEvent): readonly RunEvent[] {
    switch (event.type) {
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        return this.#add(`${event.type} ${event.messageId}`, event);
      case "TOOL_CALL_ARGS":
        return this.#add(`${event.type} ${event.toolCallId}`, event);
      case "TEXT_MESSAGE_END":
        return [...this.#end(`TEXT_MESSAGE_CONTENT ${event.messageId}`), event];
      case "REASONING_MESSAGE_END":
        return [...this.#end(`REASONING_MESSAGE_CONTENT ${event.messageId}`), event];
      case "TOOL_CALL_END":
        return [...this.#end(`TOOL_CALL_ARGS ${event.toolCallId}`), event];
      default:
        return [this.#mask.applyWithin(event)];
    }
  }

  #add(key: string, event: Delta): readonly RunEvent[] {
    const masked = this.#streams.get(key)?.masked ?? this.#mask.stream();
    this.#streams.set(key, { masked, last: event });
    return withDelta(event, masked.add(event.delta));
  }

  #end(key: string): readonly RunEvent[] {
    const open = this.#streams.get(key);
    this.#streams.delete(key);
    return open === undefined ? [] : withDelta(open.last, open.masked.end());
  }
}

/** A delta must not be empty. */
function withDelta(event: Delta, delta: string): readonly RunEvent[] {
  return delta === "" ? [] : [{ ...event, delta }];
}
