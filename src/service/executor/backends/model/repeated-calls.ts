// Detects a model that makes the same call and gets the same result, over and over. A poll whose result changes is none. Pure.

import { createHash } from "node:crypto";
import { isObject } from "../../../../base/json.ts";
import type { RepeatedCallsState } from "./loop-state.ts";

/** From this many in a row on, each result warns the model. */
const WARN_AT = 3;
/** This many in a row end the run. */
const STOP_AT = 6;

type ExecutedCall = {
  readonly toolName: string;
  readonly input: unknown;
  /** The tool's result. */
  readonly result: string;
};

export class RepeatedCalls {
  #last: string;
  #count: number;

  constructor({ last, count }: RepeatedCallsState = { last: "", count: 0 }) {
    this.#last = last;
    this.#count = count;
  }

  get state(): RepeatedCallsState {
    return { last: this.#last, count: this.#count };
  }

  /** Counts a call with its result. Returns what to tell the model beside the result, or null. */
  note({ toolName, input, result }: ExecutedCall): string | null {
    const key = `${toolName} ${canonical(input)} ${createHash("sha256").update(result).digest("base64")}`;
    this.#count = key === this.#last ? this.#count + 1 : 1;
    this.#last = key;
    if (this.#count < WARN_AT) return null;
    return `[You made this same call ${this.#count} times in a row, with the same result. Its answer will not help more. Do something else, or answer.]`;
  }

  get isStuck(): boolean {
    return this.#count >= STOP_AT;
  }
}

/** JSON with its keys in one order. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, some: unknown) =>
      isObject(some)
        ? Object.fromEntries(Object.entries(some).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : some,
    ) ?? ""
  );
}
