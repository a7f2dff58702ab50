// A forward proxy on loopback that knows CONNECT alone.

import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";

export type Tunnel = { readonly url: string; readonly asked: string[]; close(): Promise<void> };

/** Makes tunnels, answers that it may not, or hangs up without a word. */
export async function startTunnelProxy(manner: "tunnels" | "refuses" | "hangs up"): Promise<Tunnel> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const tunnel = createServer((_request, response) => response.writeHead(400).end());
  tunnel.on("connect", (request, socket, head) => {
    asked.push(request.url ?? "");
    sockets.add(socket);
    socket.on("error", () => {});
    if (manner !== "tunnels") {
      socket.end(manner === "refuses" ? "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n" : "");
      return;
    }
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => tunnel.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(tunnel.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => tunnel.close(resolve));
    },
  };
}
