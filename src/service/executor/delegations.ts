// The children that a run's backend begins.

/** Delegations of a run's backend: none is begun once the run is about to end, which ends its children with it. */
export class Delegations {
  hasBegun = false;
  #isClosed = false;

  async begin<Value>(delegate: () => Promise<Value>): Promise<Value> {
    if (this.#isClosed) throw new Error("The run has ended: it delegates nothing any more.");
    this.hasBegun = true;
    return await delegate();
  }

  close(): void {
    this.#isClosed = true;
  }
}
