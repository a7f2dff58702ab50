// Wakes the scheduler of this process when the earliest due time may have changed. In memory: a scheduler on another node
// reads the store within a minute.

declare module "../core.ts" {
  interface Core {
    readonly scheduleAlarm: ScheduleAlarm;
  }
}

export class ScheduleAlarm {
  #next = new AbortController();

  /** Called after the commit that made, confirmed or cancelled a schedule. */
  ring(): void {
    const rung = this.#next;
    this.#next = new AbortController();
    rung.abort();
  }

  /** Aborts at the next ring. */
  listen(): AbortSignal {
    return this.#next.signal;
  }
}
