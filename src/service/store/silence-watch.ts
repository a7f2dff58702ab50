// Finds connections on which a server owes an answer and sends nothing: their network is gone, and only the other side
// could say so.

import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { systemClock } from "../../base/clock.ts";

const TICK_MS = 1_000;

type Watched = {
  /** Whether the server owes an answer. */
  readonly isWaiting: boolean;
  readonly stream: Duplex;
  /** To be called once, when the connection has been silent for too long. */
  onSilence(): void;
};

type Progress = { bytes: number; silentTicks: number };

export class SilenceWatch {
  readonly #maxTicks: number;
  readonly #watched = new Map<Watched, Progress>();
  readonly #closed = new AbortController();

  /** `silenceMs` without a byte is too long. */
  constructor(silenceMs: number) {
    this.#maxTicks = Math.ceil(silenceMs / TICK_MS);
    void this.#run();
  }

  /** Watches a connection until the returned function is called. */
  add(watched: Watched): () => void {
    this.#watched.set(watched, { bytes: bytesReadOf(watched), silentTicks: 0 });
    return () => this.#watched.delete(watched);
  }

  close(): void {
    this.#closed.abort();
    this.#watched.clear();
  }

  async #run(): Promise<void> {
    for (;;) {
      await systemClock.sleep(TICK_MS, this.#closed.signal).catch(() => {});
      if (this.#closed.signal.aborted) return;
      this.#tick();
    }
  }

  /** Ticks are counted, not time: after an event loop that was held up, answers are read before the next tick. */
  #tick(): void {
    for (const [watched, progress] of this.#watched) {
      const bytes = bytesReadOf(watched);
      if (!watched.isWaiting || bytes !== progress.bytes) {
        progress.bytes = bytes;
        progress.silentTicks = 0;
        continue;
      }
      progress.silentTicks += 1;
      if (progress.silentTicks < this.#maxTicks) continue;
      this.#watched.delete(watched);
      watched.onSilence();
    }
  }
}

function bytesReadOf({ stream }: Watched): number {
  return stream instanceof Socket ? stream.bytesRead : 0;
}
