// The messages that models are sent: they grow at their end. What was sent is changed in one way alone, a rewrite, which forgets
// the thoughts that were bound to what stood before them.
// Why: docs/decisions/092-a-history-grows-at-its-end.md

import type { ModelMessage } from "ai";
import type { SentHistoryState } from "./loop-state.ts";
import { withoutBoundThoughts, withoutThoughts } from "./thoughts.ts";

/** An API that refuses the thoughts it gave is sent no more of them: each refusal costs a request. */
const MAX_REFUSALS = 2;

export class SentHistory {
  #messages: readonly ModelMessage[];
  /** The model that has read it last. */
  #reader: string | null = null;
  #refusals = 0;

  constructor(messages: readonly ModelMessage[]) {
    this.#messages = messages;
  }

  /** As another worker has left it. */
  static resume(messages: readonly ModelMessage[], { reader, refusals }: SentHistoryState): SentHistory {
    const history = new SentHistory(messages);
    history.#reader = reader;
    history.#refusals = refusals;
    return history;
  }

  get state(): SentHistoryState {
    return { reader: this.#reader, refusals: this.#refusals };
  }

  /** The same messages: each of the two grows by itself. */
  copy(): SentHistory {
    const copy = new SentHistory(this.#messages);
    copy.#reader = this.#reader;
    copy.#refusals = this.#refusals;
    return copy;
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  append(...messages: readonly ModelMessage[]): void {
    const taken = this.#refusals < MAX_REFUSALS ? messages : messages.flatMap(withoutThoughts);
    this.#messages = [...this.#messages, ...taken];
  }

  /** A compaction: other messages in the place of these. What is the same from the beginning on keeps its thoughts. */
  rewrite(messages: readonly ModelMessage[]): void {
    const changed = messages.findIndex((message, at) => message !== this.#messages[at]);
    const same = changed < 0 ? messages.length : changed;
    this.#messages = [...messages.slice(0, same), ...messages.slice(same).flatMap(withoutBoundThoughts)];
  }

  /** Another model than before is about to read it: it cannot read what the other one thought. */
  readBy(modelId: string): void {
    if (this.#reader !== null && this.#reader !== modelId) this.#forget();
    this.#reader = modelId;
  }

  /** After an API has refused its thoughts. False where there are none. */
  forgetRefused(): boolean {
    this.#refusals += 1;
    return this.#forget();
  }

  #forget(): boolean {
    const forgotten = this.#messages.flatMap(withoutThoughts);
    const hasAny =
      forgotten.length !== this.#messages.length ||
      forgotten.some((message, at) => message !== this.#messages[at]);
    this.#messages = forgotten;
    return hasAny;
  }
}
