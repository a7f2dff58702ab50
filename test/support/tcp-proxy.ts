// Stands before a database, and can be cut as a network or a server is.

import { connect, createServer, type Socket } from "node:net";

export class TcpProxy {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((incoming) => this.#carry(incoming));
  #target = { host: "127.0.0.1", port: 5432 };
  #isCut = false;

  /** Makes `url` lead here, and from here to where it led. */
  standBefore(url: URL): void {
    this.#target = { host: url.hostname, port: Number(url.port || "5432") };
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    this.#server.listen(port, "127.0.0.1");
    url.host = `127.0.0.1:${port}`;
  }

  /** Breaks every connection, and each new one. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #carry(incoming: Socket): void {
    if (this.#isCut) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(this.#target);
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
