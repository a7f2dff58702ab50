// Writes a backend's events to the run's durable stream, in order and in batches.

import { CHECKS_EVENT, type ChecksState } from "../../contract/runs/checks.ts";
import type { RunStatus } from "../../contract/runs/run.ts";
import type { WrittenEvent } from "../../contract/runs/run-event.ts";
import { OpenSpans } from "../core/runs/open-spans.ts";

/** Beyond this much unwritten text `emit` waits. */
const HIGH_WATER_CHARS = 1_000_000;
const MAX_STREAM_CHARS = 64_000_000;

/** A run wrote more than a stream may hold. */
export class StreamLimitError extends Error {
  readonly code = "stream_limit";
}

type Append = (events: readonly WrittenEvent[]) => Promise<RunStatus | null>;

export class EventWriter {
  readonly #append: Append;
  readonly #onStatus: (status: RunStatus | null) => void;
  readonly #spans = new OpenSpans();
  #pending: WrittenEvent[] = [];
  #held: WrittenEvent[] = [];
  #pendingChars = 0;
  #streamChars = 0;
  #flushing: Promise<void> | null = null;
  #isScheduled = false;
  #isClosed = false;
  #checks: ChecksState | null = null;
  #failure: { readonly cause: unknown } | null = null;

  /** `onStatus` receives the run's status after each write: null when this worker has lost the run, or a write failed. */
  constructor(options: { append: Append; onStatus: (status: RunStatus | null) => void }) {
    this.#append = options.append;
    this.#onStatus = options.onStatus;
  }

  /** How the run's checks ended, by the newest event that says so; null where none does. */
  get checks(): ChecksState | null {
    return this.#checks;
  }

  /**
   * Holds events until something else of the run is committed that they belong to: the next `writeWith`, or the run's end. A worker
   * that is lost before has not written them.
   */
  hold(events: readonly WrittenEvent[]): void {
    this.#held.push(...events);
  }

  /** Takes what is held, for whoever writes it before other events: nothing is committed with it any more. */
  takeHeld(): readonly WrittenEvent[] {
    return this.#held.splice(0);
  }

  /** What is held and was not written: for whoever commits the run's end. */
  get held(): readonly WrittenEvent[] {
    return this.#held;
  }

  /** Queues an event; waits when much is unwritten. Rejects when the stream is full, or when a write failed. */
  async emit(event: WrittenEvent): Promise<void> {
    if (this.#isClosed) return;
    if (this.#failure !== null) throw this.#failure.cause;
    const chars = sizeOf(event);
    this.#streamChars += chars;
    if (this.#streamChars > MAX_STREAM_CHARS) {
      throw new StreamLimitError(`A run may write ${MAX_STREAM_CHARS} characters of events.`);
    }
    this.#spans.add(event);
    if (event.type === "CUSTOM" && event.name === CHECKS_EVENT) this.#checks = event.value.state;
    this.#pending.push(event);
    this.#pendingChars += chars;
    if (this.#pendingChars > HIGH_WATER_CHARS) await this.#flush();
    else this.#scheduleFlush();
  }

  /** Has `write` store everything that is not written yet. Rejects when it does, and nothing is written after that. */
  async writeWith(write: Append): Promise<void> {
    while (this.#flushing !== null) await this.#flushing;
    if (this.#failure !== null) throw this.#failure.cause;
    if (this.#isClosed) return;
    this.#pending.push(...this.#held.splice(0));
    this.#flushing = this.#writeOnce(write).finally(() => {
      this.#flushing = null;
      if (this.#pending.length > 0) this.#scheduleFlush();
    });
    await this.#flushing;
  }

  async #writeOnce(write: Append): Promise<void> {
    const events = this.#pending.splice(0);
    this.#pendingChars = 0;
    this.#onStatus(await this.#writeOrFail(events, write));
  }

  /**
   * Ends the writing: waits for what is under way, returns what was not written and closes what is open. Rejects when
   * a write failed, because it is then unknown what was stored.
   */
  async close(): Promise<WrittenEvent[]> {
    this.#isClosed = true;
    await this.#flushing?.catch(() => {});
    if (this.#failure !== null) throw this.#failure.cause;
    return [...this.#pending.splice(0), ...this.#spans.closers()];
  }

  /** Delayed by one turn of the event loop, so that a burst is one write and a short run's last burst is written with its end. */
  #scheduleFlush(): void {
    if (this.#isScheduled || this.#flushing !== null) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#isClosed) this.#flush().catch(() => {});
    });
  }

  async #flush(): Promise<void> {
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0 && !this.#isClosed) {
      await this.#writeOnce(this.#append);
    }
  }

  async #writeOrFail(events: readonly WrittenEvent[], write: Append): Promise<RunStatus | null> {
    try {
      return await write(events);
    } catch (cause) {
      this.#failure = { cause };
      this.#onStatus(null);
      throw cause;
    }
  }
}

function sizeOf(event: WrittenEvent): number {
  switch (event.type) {
    case "TEXT_MESSAGE_CONTENT":
    case "TOOL_CALL_ARGS":
      return 100 + event.delta.length;
    case "TOOL_CALL_RESULT":
      return 100 + event.content.length;
    case "CUSTOM":
      return 100 + JSON.stringify(event.value).length;
    default:
      return 100;
  }
}
