// The limit of calls that work at a time, and of those that wait for one of them to end: of all, and of each owner, repository
// or whatever else they share.

/** A part of all turns. Calls with the same `name` share it. */
export type Share = { readonly name: string; readonly working: number; readonly waiting: number };

type Waiting = { readonly shares: readonly Share[]; enter(): void };
type Counts = { working: number; waiting: number };

export class Turns {
  readonly #limits: { readonly working: number; readonly waiting: number };
  readonly #waiting = new Set<Waiting>();
  readonly #shares = new Map<string, Counts>();
  #working = 0;

  constructor(limits: { readonly working: number; readonly waiting: number }) {
    this.#limits = limits;
  }

  /**
   * Null once it is the call's turn; else what is full: a share's name, or "all". Rejects with the signal's reason when it aborts
   * while this waits.
   */
  async take(signal: AbortSignal, shares: readonly Share[] = []): Promise<string | null> {
    signal.throwIfAborted();
    if (this.#hasRoom(shares)) {
      this.#enter(shares);
      return null;
    }
    const full = shares.find((share) => this.#countsOf(share).waiting >= share.waiting);
    if (full !== undefined) return full.name;
    if (this.#waiting.size >= this.#limits.waiting) return "all";
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#leave(waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        shares,
        enter: () => {
          signal.removeEventListener("abort", abort);
          this.#leave(waiting);
          this.#enter(shares);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      this.#count(shares, { waiting: 1 });
      signal.addEventListener("abort", abort, { once: true });
    });
    return null;
  }

  /** Once for each `take` that was null. Who shares the fewest that work is next, and of those who waited longest. */
  giveBack(shares: readonly Share[] = []): void {
    this.#working -= 1;
    this.#count(shares, { working: -1 });
    for (;;) {
      let next: Waiting | null = null;
      for (const one of this.#waiting) {
        if (!this.#hasRoom(one.shares)) continue;
        if (next === null || this.#atWork(one.shares) < this.#atWork(next.shares)) next = one;
      }
      if (next === null) return;
      next.enter();
    }
  }

  /** The share of which no more may work: its name, or "all". */
  fullest(shares: readonly Share[]): string {
    return shares.find((share) => this.#countsOf(share).working >= share.working)?.name ?? "all";
  }

  #hasRoom(shares: readonly Share[]): boolean {
    return (
      this.#working < this.#limits.working &&
      shares.every((share) => this.#countsOf(share).working < share.working)
    );
  }

  #atWork(shares: readonly Share[]): number {
    return Math.max(0, ...shares.map((share) => this.#countsOf(share).working));
  }

  #enter(shares: readonly Share[]): void {
    this.#working += 1;
    this.#count(shares, { working: 1 });
  }

  #leave(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    this.#count(waiting.shares, { waiting: -1 });
  }

  #countsOf({ name }: Share): Counts {
    return this.#shares.get(name) ?? { working: 0, waiting: 0 };
  }

  #count(shares: readonly Share[], { working = 0, waiting = 0 }: Partial<Counts>): void {
    for (const share of shares) {
      const counts = this.#countsOf(share);
      const changed = { working: counts.working + working, waiting: counts.waiting + waiting };
      if (changed.working + changed.waiting === 0) this.#shares.delete(share.name);
      else this.#shares.set(share.name, changed);
    }
  }
}
