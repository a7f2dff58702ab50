// A proxy by CONNECT that leads to one server on loopback for its hosts, and refuses every other.

import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";

export type ConnectProxy = { readonly url: string; close(): Promise<void> };

/** `tunnels` gets the `host:port` of each tunnel that is asked for. */
export async function startConnectProxy(
  port: number,
  { hosts, tunnels }: { readonly hosts: readonly string[]; readonly tunnels: string[] },
): Promise<ConnectProxy> {
  const sockets = new Set<Duplex>();
  const server = createServer((_, response) => response.writeHead(400).end());
  server.on("connect", (request, socket, head) => {
    tunnels.push(request.url ?? "");
    sockets.add(socket);
    socket.on("error", () => {});
    if (!hosts.some((host) => request.url === `${host}:443`)) {
      socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on("error", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
