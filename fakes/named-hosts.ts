// Hosts of the internet on loopback, under their own names: TLS by a certificate of ours, reached through a CONNECT proxy by whoever has
// `env`. Every other host is refused.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendJson } from "./code-host/server.ts";
import { startConnectProxy } from "./connect-proxy.ts";
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
  const proxy = await startConnectProxy((tls.address() as AddressInfo).port, { hosts, tunnels });
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
