// A route table of two routes with bytes, served on a real socket, and its client. The table is the test's alone.

import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import * as z from "zod/mini";
import { ok, refused } from "../../../../../src/base/result.ts";
import { callBytes, isByteSource } from "../../../../../src/client/bytes.ts";
import { connect } from "../../../../../src/client/job-client.ts";
import { type NounClient, nounClient } from "../../../../../src/client/noun-client.ts";
import { byteBody, defineRoute, everybody, nounRoutes } from "../../../../../src/contract/route.ts";
import type { ByteContent } from "../../../../../src/service/api/http/bytes/answer-bytes.ts";
import { preconditionProblem } from "../../../../../src/service/api/http/bytes/preconditions.ts";
import { openRequest } from "../../../../../src/service/api/http/open-request.ts";
import type { Env } from "../../../../../src/service/api/http/request-context.ts";
import { serveRoutes } from "../../../../../src/service/api/http/serve-routes.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";

export const MAX_BYTES = 64 * 1024 * 1024;
const writtenSchema = z.object({ bytes: z.int() });
const file = { callers: everybody, repeat: "safe" } as const;

export const fileRoutes = nounRoutes("files", "Runs", {
  write: defineRoute("PUT /files/{id}", {
    ...file,
    answer: writtenSchema,
    summary: "Write a file",
    body: byteBody(MAX_BYTES),
    headers: ["If-Match"],
    rate: "none",
    answers: { 200: "Written." },
  }),
  read: defineRoute("GET /files/{id}", {
    ...file,
    answer: "bytes",
    summary: "Read a file",
    headers: ["Range"],
    rate: "none",
    answers: { 200: "The bytes." },
  }),
});

const endpoints = {
  write: { ...fileRoutes.write, isPublic: true, answer: async () => writtenSchema },
  read: { ...fileRoutes.read, isPublic: true },
};

export type FileStore = {
  /** Takes the bytes of a write, and says how many there were. */
  write(bytes: AsyncIterable<Uint8Array>): Promise<number>;
  readonly content: ByteContent;
};

export type ByteServer = {
  readonly url: string;
  readonly fixture: CoreFixture;
  readonly files: NounClient<typeof fileRoutes>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function openByteServer(store: FileStore): Promise<ByteServer> {
  const fixture = await CoreFixture.start();
  const app = new Hono<Env>();
  app.use(openRequest(fixture.core, { trustedProxyHops: 0 }));
  serveRoutes(app, fixture.core, {
    routes: { files: fileRoutes },
    handlers: {
      files: {
        write: async ({ body, ifMatch }) => {
          const problem = preconditionProblem(ifMatch, store.content.etag);
          return problem === null ? ok({ body: { bytes: await store.write(body) } }) : refused(problem);
        },
        read: async () => ok({ body: store.content }),
      },
    },
    exchangeRatePerMinute: 0,
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server & { closeAllConnections(): void };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = { ...connect({ baseUrl: url }), streams: { callBytes, isByteSource } };
  return {
    url,
    fixture,
    files: nounClient<typeof fileRoutes>(connection, endpoints),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await fixture.close();
    },
  };
}
