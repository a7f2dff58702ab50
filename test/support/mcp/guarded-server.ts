// An MCP server with its authorization server on loopback, each at a port of its own, whose certificate this process trusts.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type GuardedOptions, GuardedServer } from "../../../fakes/mcp-server/authorization-server.ts";
import { type Identity, selfSigned } from "../../../fakes/self-signed.ts";

export type OpenedGuarded = {
  readonly guarded: GuardedServer;
  readonly url: string;
  readonly issuer: string;
  /** As `egress` names both hosts. */
  readonly hosts: readonly string[];
  /** The authority that has to be trusted. */
  readonly certificate: string;
  close(): Promise<void>;
};

export async function openGuardedServer(
  options: Omit<GuardedOptions, "server" | "issuer">,
): Promise<OpenedGuarded> {
  const { made: guarded, ...pair } = await openPair(
    (origins) => new GuardedServer({ ...origins, ...options }),
  );
  return { guarded, ...pair };
}

export type OpenedPair<Made> = Omit<OpenedGuarded, "guarded"> & { readonly made: Made };

/** What answers at both names, made once they are known. */
export async function openPair<
  Made extends { respond(request: IncomingMessage, response: ServerResponse): void },
>(
  make: (origins: { readonly server: string; readonly issuer: string }) => Made,
  identity: Identity = selfSigned(["localhost"]),
): Promise<OpenedPair<Made>> {
  const usual = getCACertificates("default");
  setDefaultCACertificates([...usual, identity.cert]);
  let respond = (_request: IncomingMessage, response: ServerResponse): void => void response.end();
  const servers = await Promise.all(
    [0, 1].map(async () => {
      const server = createServer(identity, (request, response) => respond(request, response));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const [host = "", issuerHost = ""] = servers.map(
    (server) => `localhost:${(server.address() as AddressInfo).port}`,
  );
  const [server, issuer] = [`https://${host}`, `https://${issuerHost}`];
  const made = make({ server, issuer });
  respond = made.respond;
  return {
    made,
    url: `${server}/mcp`,
    issuer,
    hosts: [host, issuerHost],
    certificate: identity.cert,
    close: async () => {
      setDefaultCACertificates(usual);
      for (const one of servers) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
    },
  };
}
