// The idempotency keys whose first request is not answered yet. In the memory of a node.

/** The keys whose requests this node has not answered yet. */
export class KeysInFlight {
  readonly #holders = new Map<string, KeySlot>();

  newSlot(): KeySlot {
    return new KeySlot(this.#holders);
  }
}

/** The place of one submission among the keys in flight. */
export class KeySlot {
  readonly #holders: Map<string, KeySlot>;
  #name: string | null = null;

  constructor(holders: Map<string, KeySlot>) {
    this.#holders = holders;
  }

  /** False while another submission holds the key. Safe to repeat, as a transaction is that is tried again. */
  take({ agentId, key }: { agentId: string; key: string }): boolean {
    this.#name = `${agentId}:${key}`;
    const holder = this.#holders.get(this.#name) ?? this;
    this.#holders.set(this.#name, holder);
    return holder === this;
  }

  release(): void {
    if (this.#name !== null && this.#holders.get(this.#name) === this) this.#holders.delete(this.#name);
  }
}
