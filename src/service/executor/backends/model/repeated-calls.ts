// Notices a model that makes the same call over and over. Pure.

/** From this many in a row on, each answer says so. */
const WARN_AT = 3;
/** So many in a row end the run's work. */
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
