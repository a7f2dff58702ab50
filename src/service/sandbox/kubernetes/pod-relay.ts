// The way from a pod's loopback to the proxy of its run, which is a socket of this machine: connections as frames over one exec. The pod
// itself needs no network. A connection ends where the exec is cut: whoever made it makes another one.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { encodeFrame, type Frame, frameKinds, MAX_CONTENT_BYTES } from "./frames.ts";
import { callPod, type PodPlace } from "./pod-call.ts";

/** Sockets wait while more than this waits to be sent. */
const MAX_WAITING_BYTES = 1024 * 1024;

export class PodRelay {
  /** Of the proxy. */
  readonly socket: string;
  /** Resolves once the pod listens. Rejects where it never will. */
  readonly isReady: Promise<void>;
  readonly #ended: Promise<unknown>;
  #isOver = false;
  readonly #stopping = new AbortController();
  readonly #open = new Map<string, Socket>();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #wake: () => void = () => {};
  /** Of calls of the pod: a later one has other connections. */
  #call = 0;

  constructor(place: PodPlace, { socket, port }: { readonly socket: string; readonly port: number }) {
    this.socket = socket;
    const ready = Promise.withResolvers<void>();
    this.isReady = ready.promise;
    this.isReady.catch(() => {});
    this.#ended = callPod(place, {
      header: () => ({ call: "relay", port }),
      begin: () => this.#begin(),
      body: () => this.#frames(this.#call),
      take: (frame) => (frame.kind === frameKinds.started ? ready.resolve() : this.#take(frame)),
      signal: this.#stopping.signal,
    })
      .then(
        () => ready.reject(new Error("Nothing could listen at the proxy's port in the pod.")),
        (cause: unknown) => ready.reject(cause),
      )
      .finally(() => {
        this.#isOver = true;
      });
  }

  /** Whether it has given up: the server was away for too long. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when no connection is left. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The relay is not needed any more."));
    this.#begin();
    await this.#ended;
  }

  #begin(): void {
    this.#call += 1;
    for (const socket of this.#open.values()) socket.destroy();
    this.#open.clear();
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#wake();
  }

  async *#frames(call: number): AsyncGenerator<Buffer> {
    while (call === this.#call) {
      const frames = this.#waiting.splice(0);
      if (frames.length > 0) yield Buffer.concat(frames);
      if (call !== this.#call) return;
      this.#waitingBytes = this.#waiting.reduce((sum, { length }) => sum + length, 0);
      if (this.#waitingBytes <= MAX_WAITING_BYTES) for (const socket of this.#open.values()) socket.resume();
      if (this.#waiting.length === 0)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #send(call: number, kind: number, path: string, content?: Buffer): void {
    if (call !== this.#call) return;
    const frame = encodeFrame({ kind, path, ...(content === undefined ? {} : { content }) });
    this.#waiting.push(frame);
    this.#waitingBytes += frame.length;
    this.#wake();
  }

  async #take({ kind, path: name, content }: Frame): Promise<void> {
    if (kind === frameKinds.opened) return this.#connect(name);
    const socket = this.#open.get(name);
    if (socket === undefined) return;
    if (kind === frameKinds.ended) socket.end();
    else if (kind === frameKinds.closed) socket.destroy();
    else if (kind === frameKinds.data && !socket.write(content))
      await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
  }

  #connect(name: string): void {
    const call = this.#call;
    const socket = connect({ path: this.socket, allowHalfOpen: true });
    this.#open.set(name, socket);
    socket.on("data", (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += MAX_CONTENT_BYTES)
        this.#send(call, frameKinds.data, name, chunk.subarray(at, at + MAX_CONTENT_BYTES));
      if (this.#waitingBytes > MAX_WAITING_BYTES) socket.pause();
    });
    socket.on("end", () => this.#send(call, frameKinds.ended, name));
    socket.on("error", () => {});
    socket.on("close", () => {
      if (call === this.#call) this.#open.delete(name);
      this.#send(call, frameKinds.closed, name);
    });
  }
}
