// Which step comes next in which conversation. No HTTP.

import type { ModelRequest } from "./request.ts";
import type { Step } from "./turn.ts";

/** A list is told from its start to every conversation. Else the opening request chooses; none answers 404. */
export type Script =
  | readonly Step[]
  | ((opening: ModelRequest) => Iterable<Step> | AsyncIterable<Step> | undefined);

export interface Conversations {
  /** `unknown`: no script for this opening. `ended`: no turn left. */
  next(request: ModelRequest): Promise<{ readonly step: Step } | "unknown" | "ended">;
}

/** Conversations with the same key share one place in one script, in the order of arrival. */
export function conversationsOf(script: Script, keyOf: (request: ModelRequest) => string): Conversations {
  const running = new Map<string, Iterator<Step> | AsyncIterator<Step> | null>();
  return {
    next: async (request) => {
      const key = keyOf(request);
      let steps = running.get(key);
      if (steps === undefined) {
        steps = begin(typeof script === "function" ? script(request) : script);
        running.set(key, steps);
      }
      if (steps === null) return "unknown";
      const { done, value } = await steps.next();
      return done === true ? "ended" : { step: value };
    },
  };
}

/** The model and the first user message: runs that ask the same of the same model need another key, or `byTurn`. */
export function conversationKey({ model, firstUserMessage }: ModelRequest): string {
  return `${model}\n${firstUserMessage}`;
}

/**
 * The step after as many answers as the history holds, whoever asks: any number of runs may play it at once, with
 * the same words, and repeat a request.
 */
export function byTurn(steps: readonly Step[]): () => Iterable<Step> {
  return everyTime((request) => steps[request.assistantTurns]);
}

/** One function answers every request. */
export function everyTime(step: (request: ModelRequest) => Step | undefined): () => Iterable<Step> {
  return function* () {
    while (true) yield step;
  };
}

function begin(
  steps: Iterable<Step> | AsyncIterable<Step> | undefined,
): Iterator<Step> | AsyncIterator<Step> | null {
  if (steps === undefined) return null;
  return Symbol.asyncIterator in steps ? steps[Symbol.asyncIterator]() : steps[Symbol.iterator]();
}
