// The HTTP API on a core fixture, on a real socket, which lets a test wait for the answers that it makes, also those that
// nobody is left to read.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createApp } from "../../src/service/api/http/app.ts";
import { faces } from "../../src/service/faces/faces.ts";
import type { CoreFixture } from "./fixtures/core-fixture.ts";

export type HttpApi = {
  readonly url: string;
  readonly server: Server;
  /** The first answer that was made. */
  readonly firstAnswer: Promise<Response>;
  close(): Promise<void>;
};

/** Exchanges a minute of one address. */
const PLENTY = 10_000;

export async function openHttpApi(
  fixture: CoreFixture,
  shown = faces,
  {
    exchangeRatePerMinute = PLENTY,
    corsOrigins = [],
  }: { exchangeRatePerMinute?: number; corsOrigins?: readonly string[] } = {},
): Promise<HttpApi> {
  const app = createApp(fixture.core, fixture.submitter, {
    exchangeRatePerMinute,
    trustedProxyHops: 0,
    corsOrigins,
    faces: shown,
  });
  const first = Promise.withResolvers<Response>();
  const listener = getRequestListener(async (request, env) => {
    const response = await app.fetch(request, env);
    first.resolve(response);
    return response;
  });
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    firstAnswer: first.promise,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await fixture.close();
    },
  };
}
