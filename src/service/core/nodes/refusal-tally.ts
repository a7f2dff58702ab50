// Counts refused requests of this process by reason. Reasons are constants of the code, so that their number is bounded.

export class RefusalTally {
  readonly #counts = new Map<string, number>();

  count(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
