// Detects a model that repeats the same call. Pure.

/** From this many in a row on, each result warns the model. */
const WARN_AT = 3;
/** This many in a row end the run. */
const STOP_AT = 6;

export class RepeatedCalls {
  #last = "";
  #count = 0;

  /** Counts a call. Returns what to tell the model with its result, or null. */
  note(call: { readonly toolName: string; readonly input: unknown }): string | null {
    const key = `${call.toolName} ${canonical(call.input)}`;
    this.#count = key === this.#last ? this.#count + 1 : 1;
    this.#last = key;
    if (this.#count < WARN_AT) return null;
    return `[You made this same call ${this.#count} times in a row. Its answer will not help more. Do something else, or answer.]`;
  }

  get isStuck(): boolean {
    return this.#count >= STOP_AT;
  }
}

/** JSON with its keys in one order. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, some: unknown) =>
      typeof some === "object" && some !== null && !Array.isArray(some)
        ? Object.fromEntries(Object.entries(some).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : some,
    ) ?? ""
  );
}
