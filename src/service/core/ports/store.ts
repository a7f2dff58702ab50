// The port to what keeps the service's state, one interface a noun. Implemented in store/, once, for SQLite and
// PostgreSQL.

export interface Store {
  /** Committed state. */
  readonly committed: StoreReader;
  /**
   * Runs `work` in one transaction and resolves once its effect survives a crash. A throw undoes all of it. Rejects with
   * a StoreUnavailableError while the store cannot answer.
   * `work` may run again after a conflict with another node: it has no effects but through its argument.
   */
  transact<Value>(
    work: (transaction: StoreTransaction) => Promise<Value>,
    options?: TransactOptions,
  ): Promise<Value>;
  /** Rejects when the store cannot answer, with a StorageFullError while it has no room for writes. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type TransactOptions = {
  /**
   * The work reads, and then writes at most once, by `runs.admit`, `events.append`, `events.end`, `journal.keep`,
   * `queue.beat`, `queue.start` or `queue.startOldest`. Each of these is atomic by itself: PostgreSQL needs no round trips for the
   * beginning and the end of a transaction, and does the same write of many callers in one statement.
   */
  readonly isOneWrite?: boolean;
  /**
   * What the transaction may have to wait for, e.g. a billing account. Transactions of one lane leave connections to the
   * others, however many of them wait.
   */
  readonly lane?: string;
};

/** Reads of the store: each noun declares its part in its own `store-port.ts`. Why: docs/decisions/133-floors-in-core.md */
// biome-ignore lint/suspicious/noEmptyInterface: its members are declared by the nouns.
export interface StoreReader {}

/** Reads and writes within a transaction. */
export interface StoreTransaction extends StoreReader {}
