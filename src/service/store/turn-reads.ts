// Rows that were read in this turn of the event loop: the requests of many clients that arrive together ask for the same
// workspace or agent. Forgotten at each commit of this process, and at the end of the turn, since other processes commit too.

import { setImmediate } from "node:timers";

type Rows = readonly unknown[];

export class TurnReads {
  readonly #rows = new Map<unknown, Map<string, Rows>>();
  #isScheduled = false;
  #state = 0;

  /** Changes whenever all is forgotten. */
  get state(): number {
    return this.#state;
  }

  /** Undefined where it was not read in this turn. */
  find(query: unknown, key: string): Rows | undefined {
    return this.#rows.get(query)?.get(key);
  }

  /** Keeps rows that were read in `state`, unless it is over. They are shared: nobody may change them. */
  keep({ query, key, rows, state }: { query: unknown; key: string; rows: Rows; state: number }): void {
    if (state !== this.#state) return;
    let ofQuery = this.#rows.get(query);
    if (ofQuery === undefined) {
      ofQuery = new Map();
      this.#rows.set(query, ofQuery);
    }
    ofQuery.set(key, rows);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.forget();
    });
  }

  forget(): void {
    this.#state += 1;
    this.#rows.clear();
  }
}

/** Longer texts are lists of keys, which nobody else has. */
const MAX_KEY_CHARS = 200;

/** The value of a query that has one, a short text; null for every other query. */
export function onlyText(values: object): string | null {
  let only: unknown = null;
  for (const name in values) {
    if (only !== null) return null;
    only = Reflect.get(values, name);
  }
  return typeof only === "string" && only.length <= MAX_KEY_CHARS ? only : null;
}
