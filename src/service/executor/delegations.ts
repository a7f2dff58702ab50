// The children that a run's backend begins.

/** Delegations of a run's backend: none is begun once the run is about to end, which ends its children with it. */
export class Delegations {
  hasBegun = false;
  #isClosed = false;
  #started: Promise<unknown> = Promise.resolve();

  /**
   * Begins it once those that were started before it are stored: each locks the run, and ten at once would wait for the lock longer than
   * the store allows.
   */
  start<Value>(delegate: () => Promise<Value>): Promise<Value> {
    const started = this.#started.then(() => this.begin(delegate));
    this.#started = started.catch(() => {});
    return started;
  }

  async begin<Value>(delegate: () => Promise<Value>): Promise<Value> {
    if (this.#isClosed) throw new Error("The run has ended: it delegates nothing any more.");
    this.hasBegun = true;
    return await delegate();
  }

  close(): void {
    this.#isClosed = true;
  }
}
