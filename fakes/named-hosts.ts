// Hosts of the internet on loopback, under their own names: TLS by a certificate of ours, reached through a CONNECT proxy by whoever has
// `env`. Every other host is refused.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { sendJson } from "./code-host/server.ts";
import { selfSigned } from "./self-signed.ts";

export interface NamedHosts {
  /** What a process needs to find the hosts here: a proxy, and an authority that it trusts. */
  readonly env: Readonly<Record<string, string>>;
  /** `host:port` of each tunnel that was asked for. */
  readonly tunnels: readonly string[];
  close(): Promise<void>;
}

type NamedHostsOptions = {
  readonly hosts: readonly string[];
  /** Answers a request to one of them, which its `host` header names. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
};

export async function startNamedHosts({ hosts, serve }: NamedHostsOptions): Promise<NamedHosts> {
  const folder = await mkdtemp(join(tmpdir(), "named-hosts-"));
  const tunnels: string[] = [];
  const { key, cert } = selfSigned(hosts);
  const tls = createTlsServer({ key, cert }, (request, response) => {
    serve(request, response).catch((cause: unknown) => sendJson(response, 500, { message: String(cause) }));
  });
  await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
  const proxy = await startProxy((tls.address() as AddressInfo).port, { hosts, tunnels });
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, cert);
  return {
    env: {
      HTTPS_PROXY: proxy.url,
      https_proxy: proxy.url,
      NO_PROXY: "127.0.0.1,localhost",
      no_proxy: "127.0.0.1,localhost",
      NODE_USE_ENV_PROXY: "1",
      NODE_EXTRA_CA_CERTS: caFile,
    },
    tunnels,
    close: async () => {
      await proxy.close();
      await new Promise<void>((resolve) => {
        tls.close(() => resolve());
        tls.closeAllConnections();
      });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startProxy(
  port: number,
  { hosts, tunnels }: { readonly hosts: readonly string[]; readonly tunnels: string[] },
): Promise<{ readonly url: string; close(): Promise<void> }> {
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
