// The send buffer of one socket: the bytes that wait to be read, and whether anything still moves.

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Clock } from "../../../base/clock.ts";
import type { ServerFrame } from "../../../contract/sessions/socket.ts";
import type { PublicProblem } from "../../core/ports/problem.ts";

/** Above this nobody reads more from the store for the socket. */
const MAX_BUFFERED_BYTES = 256_000;
const SLOW_MS = 30_000;

export class SendBuffer {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #clock: Clock;
  readonly #requestId: string;
  readonly #waiting = new Set<() => void>();
  #hasMoved = true;
  #isHeld = false;

  /** `connection` is the one that the socket writes to. */
  constructor(parts: { socket: WebSocket; connection: Duplex; clock: Clock; requestId: string }) {
    this.#socket = parts.socket;
    this.#connection = parts.connection;
    this.#clock = parts.clock;
    this.#requestId = parts.requestId;
  }

  send(frame: ServerFrame): void {
    this.sendText(JSON.stringify(frame));
  }

  /** Sends a frame that is JSON already. Nothing is sent once the socket closes. */
  sendText(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#hold();
    this.#socket.send(text, () => {
      this.#hasMoved = true;
      if (!this.isFull) this.#wakeAll();
    });
  }

  sendProblem(problem: PublicProblem, id: string | null): void {
    const { code, message: error, fields, retryAfterSeconds } = problem;
    const frame = {
      type: "error",
      ...(id === null ? {} : { id }),
      code,
      error,
      request_id: this.#requestId,
      ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
      ...fields,
    };
    this.sendText(JSON.stringify(frame));
  }

  get isFull(): boolean {
    return this.#socket.bufferedAmount > MAX_BUFFERED_BYTES;
  }

  /** Waits until the peer has read enough. False when it has not in half a minute, or `signal` aborts. */
  async hasRoom(signal: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const isLate = this.#clock.sleep(SLOW_MS, either).then(
      () => true,
      () => true,
    );
    try {
      while (this.isFull && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        const wake = () => resolve(false);
        this.#waiting.add(wake);
        const hasEnded = await Promise.race([promise, isLate]);
        this.#waiting.delete(wake);
        if (hasEnded) break;
      }
      return !this.isFull && !signal.aborted;
    } finally {
      over.abort();
      await isLate;
    }
  }

  /** The peer gave a sign of life. */
  markMoved(): void {
    this.#hasMoved = true;
  }

  /** Whether the peer read, wrote or answered a ping since the last call. */
  takeMoved(): boolean {
    const hasMoved = this.#hasMoved;
    this.#hasMoved = false;
    return hasMoved;
  }

  /** What is sent until the pending promises have settled goes out in one write: a system call costs more than a frame. */
  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#connection.cork();
    process.nextTick(() => {
      this.#isHeld = false;
      this.#connection.uncork();
    });
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }
}
