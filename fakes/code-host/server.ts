// A plain HTTP server on a free loopback port, and the few answers that every fake gives. No faults of its own.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>`, no slash at the end. */
  readonly url: string;
  /** Cuts what is still open. Safe to repeat. */
  close(): Promise<void>;
}

/** Listens on a free loopback port. A handler that throws is answered with 500 and its message. */
export async function startLoopbackServer(handler: Handler): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    handler(request, response).catch((cause: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { message: String(cause) });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
