// A server on loopback with one fault: it refuses connections, resets them, never answers, or breaks off in an answer.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** "cut": an answer of HTTP begins, and the connection ends in it. */
export const peerFaults = ["refuses", "resets", "stalls", "cuts"] as const;
export type PeerFault = (typeof peerFaults)[number];

export type FaultyPeer = {
  readonly port: number;
  /** Connections that nobody has closed yet. */
  open(): number;
  close(): Promise<void>;
};

export async function startFaultyPeer(fault: PeerFault): Promise<FaultyPeer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    if (fault === "resets") socket.once("data", () => socket.resetAndDestroy());
    if (fault === "stalls") socket.resume();
    if (fault === "cuts")
      socket.once("data", () => {
        const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";
        socket.write(`${head}{"keys":`, () => socket.resetAndDestroy());
      });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  // Nobody listens on a port that was given up a moment ago.
  if (fault === "refuses") await close();
  return { port, open: () => sockets.size, close };
}
