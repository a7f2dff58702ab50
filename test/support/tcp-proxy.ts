// Stands before a server, a database for one, and fails as a network does: connections are reset, delayed, cut in the
// middle of a message, or fall silent, so that neither side hears of the other again.

import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** What happens to the connection whose client sends a text. */
export type Trap = {
  /**
   * "before": nothing of the text arrives. "within": half of it. "after": all of it, and the answer is lost. "answering":
   * half of the answer comes back.
   */
  readonly when: "before" | "within" | "after" | "answering";
  readonly fails: "silence" | "reset";
};

type SetTrap = Trap & { readonly text: string; readonly onSprung: () => void };

export class TcpProxy {
  readonly #server: Server;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #connections = new Set<Carried>();
  #newcomers: "carried" | "refused" | "swallowed" = "carried";
  #delayMs = 0;
  #trap: SetTrap | null = null;
  #watchers: (() => void)[] = [];

  /** Listens on a free port, and leads to the host of `url`. */
  static async start(url: URL): Promise<TcpProxy> {
    const proxy = new TcpProxy({ host: url.hostname, port: Number(url.port || "5432") });
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    // A network that has fallen silent does not answer a goodbye either.
    this.#server = createServer({ allowHalfOpen: true }, (incoming) => this.#accept(incoming));
  }

  /** Connections that their clients have not closed, silent ones included. */
  get open(): number {
    return [...this.#connections].filter(({ isOpen }) => isOpen).length;
  }

  /** Resolves once no client has a connection open. */
  async allClosed(): Promise<void> {
    while (this.open > 0) {
      await new Promise<void>((resolve) => {
        this.#watchers.push(resolve);
      });
    }
  }

  /** Makes `url` lead here. */
  standBefore(url: URL): void {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The proxy does not listen.");
    url.host = `127.0.0.1:${address.port}`;
  }

  /** Resets every connection, and each new one, as a server that is down. */
  cut(): void {
    this.#newcomers = "refused";
    for (const connection of this.#connections) connection.reset();
  }

  /** Every connection falls silent. New ones work. */
  silence(): void {
    for (const connection of this.#connections) connection.isSilent = true;
  }

  /** Half-open: every connection falls silent, and new ones are accepted and never answered. */
  swallow(): void {
    this.silence();
    this.#newcomers = "swallowed";
  }

  /** Whatever is sent, in both directions, arrives this much later. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** The next connection whose client sends `text` fails there. Resolves when it has. */
  trap(text: string, trap: Trap): Promise<void> {
    return new Promise((resolve) => {
      this.#trap = { ...trap, text, onSprung: resolve };
    });
  }

  /** New connections work again. Silent ones stay silent. */
  mend(): void {
    this.#newcomers = "carried";
    this.#delayMs = 0;
    this.#trap = null;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #accept(incoming: Socket): void {
    incoming.on("error", () => {});
    if (this.#newcomers === "refused") {
      incoming.resetAndDestroy();
      return;
    }
    const connection = new Carried(incoming, connect({ ...this.#target, allowHalfOpen: true }), {
      delayMs: () => this.#delayMs,
      takeTrap: (sent) => {
        const trap = this.#trap;
        if (trap === null || !sent.includes(trap.text)) return null;
        this.#trap = null;
        return trap;
      },
      onEnd: () => {
        if (connection.isOver) this.#connections.delete(connection);
        for (const wake of this.#watchers.splice(0)) wake();
      },
    });
    connection.isSilent = this.#newcomers === "swallowed";
    this.#connections.add(connection);
  }
}

type CarriedOptions = {
  readonly delayMs: () => number;
  /** The trap that a client's bytes fall into. */
  readonly takeTrap: (sent: Buffer) => SetTrap | null;
  /** A side has ended or closed the connection. */
  readonly onEnd: () => void;
};

/** One connection of a client, and the one to the server that it is carried over. */
class Carried {
  isSilent = false;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #options: CarriedOptions;
  #sprung: SetTrap | null = null;

  constructor(client: Socket, server: Socket, options: CarriedOptions) {
    this.#client = client;
    this.#server = server;
    this.#options = options;
    server.on("error", () => {});
    this.#carry({ from: client, to: server, deliver: (chunk) => this.#toServer(chunk) });
    this.#carry({ from: server, to: client, deliver: (chunk) => this.#toClient(chunk) });
  }

  get isOpen(): boolean {
    return !this.#client.destroyed && !this.#client.readableEnded;
  }

  /** Whether both sides have closed it. */
  get isOver(): boolean {
    return this.#client.destroyed && this.#server.destroyed;
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#server.resetAndDestroy();
  }

  #carry({ from, to, deliver }: { from: Socket; to: Socket; deliver: (chunk: Buffer) => void }): void {
    let turn = Promise.resolve();
    const inTurn = (act: () => void) => {
      const dueAt = performance.now() + this.#options.delayMs();
      turn = turn.then(async () => {
        const leftMs = dueAt - performance.now();
        if (leftMs > 0) await setTimeout(leftMs);
        if (!this.isSilent) act();
      });
    };
    from.on("data", (chunk: Buffer) => inTurn(() => deliver(chunk)));
    from.once("end", () => {
      inTurn(() => to.end());
      this.#options.onEnd();
    });
    from.once("close", () => {
      inTurn(() => to.destroy());
      this.#options.onEnd();
    });
  }

  #toServer(chunk: Buffer): void {
    const trap = this.#options.takeTrap(chunk);
    if (trap === null) {
      this.#server.write(chunk);
      return;
    }
    if (trap.when === "within") this.#server.write(firstHalf(chunk));
    if (trap.when === "after" || trap.when === "answering") this.#server.write(chunk);
    if (trap.when === "answering") this.#sprung = trap;
    else this.#spring(trap);
  }

  #toClient(chunk: Buffer): void {
    if (this.#sprung === null) {
      this.#client.write(chunk);
      return;
    }
    this.#client.write(firstHalf(chunk));
    this.#spring(this.#sprung);
  }

  #spring({ fails, onSprung }: SetTrap): void {
    if (fails === "silence") this.isSilent = true;
    // What was written leaves first.
    else setImmediate(() => this.reset());
    onSprung();
  }
}

function firstHalf(chunk: Buffer): Buffer {
  return chunk.subarray(0, Math.ceil(chunk.length / 2));
}
