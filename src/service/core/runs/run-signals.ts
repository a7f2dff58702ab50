// Wakes who waits for a run's stream or state to change, or, by the session's id, for a session to get a run: on this node,
// and through `publish` on the others. In memory: whoever misses a signal reads the store.
// Why a start waits: docs/decisions/003-commit-groups-on-sqlite.md

declare module "../core.ts" {
  interface Core {
    readonly signals: RunSignals;
  }
}

/** Who is woken in one turn of the event loop. Everything else has its turn before the next ones. */
const SLICE = 64;

export class RunSignals {
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Runs of this node that have started, and have not had the time to say anything. */
  readonly #opening = new Set<string>();
  /** Takes of the oldest run, which name it when they settle: its start may be visible before. */
  readonly #takes = new Set<Promise<unknown>>();
  readonly #publish: (runId: string) => void;
  readonly #follow: (runId: string) => void;
  #isClosed = false;

  /**
   * `publish` carries each signal to the other nodes, which pass it to their `wake`; `follow` has their signals of this run come here.
   * Default: there are no other nodes.
   */
  constructor(options: { publish?: (runId: string) => void; follow?: (runId: string) => void } = {}) {
    this.#publish = options.publish ?? (() => {});
    this.#follow = options.follow ?? (() => {});
  }

  /** What somebody on this node waits for. */
  get waitedFor(): Iterable<string> {
    return this.#waiting.keys();
  }

  /** True once the service stops: waiting is over. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Wakes every waiter of the run, on every node. Called after the commit that changed it. */
  publish(runId: string): void {
    this.wake(runId);
    this.#publish(runId);
  }

  /** Before this node starts a run: until `opened`, or the next signal, its start alone wakes nobody. */
  opening(runId: string): void {
    this.#opening.add(runId);
  }

  /** As `opening`, of the run that `take` finds. Settles as `take` does. */
  async openingTaken<Taken extends { readonly run: { readonly id: string } }>(
    take: Promise<Taken | null>,
  ): Promise<Taken | null> {
    const marked = take.then((taken) => {
      if (taken !== null) this.opening(taken.run.id);
      return taken;
    });
    this.#takes.add(marked);
    try {
      return await marked;
    } finally {
      this.#takes.delete(marked);
    }
  }

  /** Publishes the start of a run, unless something of it was published since. */
  opened(runId: string): void {
    if (this.#opening.has(runId)) this.publish(runId);
  }

  isOpening(runId: string): boolean {
    return this.#opening.has(runId);
  }

  /** As `isOpening`, with the runs that this node is taking. Never rejects. */
  async isFoundOpening(runId: string): Promise<boolean> {
    if (!this.isOpening(runId)) await Promise.allSettled(this.#takes);
    return this.isOpening(runId);
  }

  /** Wakes this node's waiters of the run, which another node has changed. */
  wake(runId: string): void {
    this.#opening.delete(runId);
    this.wakeToLook(runId);
  }

  /** Wakes this node's waiters of the run, which may have missed a signal, or not. */
  wakeToLook(runId: string): void {
    const waiters = this.#waiting.get(runId);
    if (waiters === undefined) return;
    this.#waiting.delete(runId);
    wakeInSlices(waiters);
  }

  /**
   * Listens from this call on, so that no signal between a read and the wait is missed. `moved` resolves at the next signal,
   * and on `stop` or `close`.
   */
  listen(runId: string): { readonly moved: Promise<void>; stop(): void } {
    let wake = () => {};
    const moved = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (this.#isClosed) {
      wake();
      return { moved, stop: () => {} };
    }
    const waiters = this.#waiting.get(runId) ?? new Set();
    waiters.add(wake);
    this.#waiting.set(runId, waiters);
    this.#follow(runId);
    return {
      moved,
      stop: () => {
        waiters.delete(wake);
        if (waiters.size === 0 && this.#waiting.get(runId) === waiters) this.#waiting.delete(runId);
        wake();
      },
    };
  }

  /** Wakes all of this node's waiters, whose signals may have been lost. */
  wakeAll(): void {
    for (const runId of [...this.#waiting.keys()]) this.wake(runId);
  }

  /** Wakes every waiter, now and from now on: the service stops. */
  close(): void {
    this.#isClosed = true;
    this.wakeAll();
  }
}

function wakeInSlices(waiters: Set<() => void>): void {
  let left = SLICE;
  for (const wake of waiters) {
    if (left === 0) {
      setImmediate(() => wakeInSlices(waiters));
      return;
    }
    waiters.delete(wake);
    wake();
    left -= 1;
  }
}
