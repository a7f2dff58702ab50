// The client's transport inside a job: proxies come from @actions/http-client's agents, private CAs from Node
// (NODE_EXTRA_CA_CERTS). The request is our own: HttpClient never ends where an answer is cut off.

import * as http from "node:http";
import * as https from "node:https";
import { HttpClient } from "@actions/http-client";
import {
  bodyTooLarge,
  connectionFailed,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  timedOut,
} from "../client/transport.ts";

export type ActionTransport = {
  readonly send: Transport;
  /** Closes the connections that are kept open. */
  close(): void;
};

/** Opens connections as they are needed, and keeps them open for the next request. */
export function openTransport(): ActionTransport {
  // One HttpClient for each origin: it returns its first agent for every later address.
  const clients = new Map<string, HttpClient>();
  const agentFor = (url: URL): http.Agent => {
    const client =
      clients.get(url.origin) ??
      new HttpClient("agent-service", [], { keepAlive: true, allowRedirects: false });
    clients.set(url.origin, client);
    return client.getAgent(url.href);
  };
  return {
    send: (request) => {
      const url = new URL(request.url);
      return sendOnce(request, url, agentFor(url));
    },
    close: () => {
      for (const client of clients.values()) client.dispose();
    },
  };
}

function sendOnce(request: TransportRequest, url: URL, agent: http.Agent): Promise<TransportResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const { request: open } = url.protocol === "https:" ? https : http;
    const outgoing = open(url, { method: request.method, headers: headersOf(request), agent });
    const fail = (error: unknown) => {
      settle();
      reject(error);
      outgoing.destroy();
    };
    const abort = () => fail(signal?.reason);
    const timer = setTimeout(() => fail(timedOut(request)), request.timeoutMs);
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const breakOff = (cause: unknown) => fail(connectionFailed(request, cause));

    signal?.addEventListener("abort", abort, { once: true });
    outgoing.on("error", breakOff);
    outgoing.on("response", (incoming) => {
      const status = incoming.statusCode ?? 0;
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > request.maxBodyBytes) fail(bodyTooLarge(request, status));
      });
      incoming.on("error", breakOff);
      incoming.on("close", () => {
        if (!incoming.complete) breakOff(new Error("the answer was cut off"));
      });
      incoming.on("end", () => {
        settle();
        const headers = (name: string) => firstOf(incoming.headers[name]);
        resolve({ status, headers, body: Buffer.concat(chunks).toString("utf8") });
      });
    });
    outgoing.end(request.body);
  });
}

function headersOf(request: TransportRequest): Record<string, string | number> {
  if (request.body === undefined) return { ...request.headers };
  return { ...request.headers, "content-length": Buffer.byteLength(request.body) };
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
