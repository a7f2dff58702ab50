// A clock that only the test moves. Timers of the machine keep running: nothing of the service waits on them.

import type { Clock } from "../../../src/base/clock.ts";

type Watcher = { isSo(sleeping: number): boolean; wake(): void };
type Sleeper = { readonly at: number; wake(): void };

export class ManualClock implements Clock {
  #nowMs: number;
  #monotonicMs = 1_000_000;
  #sleepers: Sleeper[] = [];
  #watchers: Watcher[] = [];

  /** The middle of a month, so that a test passes its end only when it means to. */
  constructor(start = "2026-01-15T10:00:00.000Z") {
    this.#nowMs = Date.parse(start);
  }

  /** Bound: a fake server takes it as its `now`. */
  readonly now = (): number => this.#nowMs;

  readonly monotonic = (): number => this.#monotonicMs;

  /** As when somebody sets the machine's clock: no time passes. */
  setWall(byMs: number): void {
    this.#nowMs += byMs;
  }

  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      if (ms <= 0) return resolve();
      const giveUp = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
        this.#tellWatchers();
      };
      const sleeper = {
        at: this.#monotonicMs + ms,
        wake: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#sleepers.push(sleeper);
      this.#tellWatchers();
    });
  }

  /** Moves time on and wakes whoever has slept enough. */
  advance(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
    const due = this.#sleepers.filter(({ at }) => at <= this.#monotonicMs);
    this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#monotonicMs);
    for (const { wake } of due) wake();
    this.#tellWatchers();
  }

  /** Moves time on, and lets what woke up act before the test goes on. */
  async pass(ms: number): Promise<void> {
    this.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Resolves once at least so many sleep. */
  async whenSleeping(atLeast = 1): Promise<void> {
    await this.#when((sleeping) => sleeping >= atLeast);
  }

  /** Resolves once no more than so many sleep: the others were woken or gave up. */
  async whenAwake(atMost = 0): Promise<void> {
    await this.#when((sleeping) => sleeping <= atMost);
  }

  async #when(isSo: (sleeping: number) => boolean): Promise<void> {
    if (isSo(this.#sleepers.length)) return;
    await new Promise<void>((resolve) => {
      this.#watchers.push({ isSo, wake: resolve });
    });
  }

  #tellWatchers(): void {
    const ready = this.#watchers.filter(({ isSo }) => isSo(this.#sleepers.length));
    this.#watchers = this.#watchers.filter((watcher) => !ready.includes(watcher));
    for (const { wake } of ready) wake();
  }
}
