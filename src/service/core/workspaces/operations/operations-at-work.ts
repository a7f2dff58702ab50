// The operations that this process works at, some at a time, and who waits for them. In memory: the store knows all of them.

declare module "../workspace-keeping.ts" {
  interface WorkspaceKeeping {
    /** The operations that this process works at. */
    readonly operations: OperationsAtWork;
  }
}

const MAX_AT_WORK = 8;

type Work = (signal: AbortSignal) => Promise<void>;

export class OperationsAtWork {
  readonly #working = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, { readonly work: Work; readonly done: PromiseWithResolvers<void> }>();
  readonly #stopping = new AbortController();

  /** Does the work once it has its turn. `work` never rejects. Does nothing for one that has been given before, or after `stop`. */
  start(id: string, work: Work): void {
    if (this.#stopping.signal.aborted || this.#working.has(id) || this.#waiting.has(id)) return;
    this.#waiting.set(id, { work, done: Promise.withResolvers() });
    this.#next();
  }

  has(id: string): boolean {
    return this.#working.has(id) || this.#waiting.has(id);
  }

  /** Resolves when this process works at it no more. */
  async settled(id: string): Promise<void> {
    await (this.#working.get(id) ?? this.#waiting.get(id)?.done.promise);
  }

  /** Takes no more, and lets go of what it has: another takes that up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { done } of this.#waiting.values()) done.resolve();
    this.#waiting.clear();
    await Promise.all(this.#working.values());
  }

  #next(): void {
    for (const [id, { work, done }] of this.#waiting) {
      if (this.#working.size >= MAX_AT_WORK) return;
      this.#waiting.delete(id);
      const working = work(this.#stopping.signal).finally(() => {
        this.#working.delete(id);
        done.resolve();
        this.#next();
      });
      this.#working.set(id, working);
    }
  }
}
