// The edge of a real service with one fault planted in it: requests reach the service, and answers the client, as they would
// where the service had the fault.

import { type IncomingHttpHeaders, request as open } from "node:http";
import { readBody, startLoopbackServer } from "../../../fakes/code-host/server.ts";

export type EdgeRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type EdgeAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type Fault = {
  /** What the service gets in the place of the request, or the answer that it never gives. */
  readonly request?: (request: EdgeRequest) => EdgeRequest | EdgeAnswer;
  /** What the client gets in the place of the answer. */
  readonly answer?: (answer: EdgeAnswer, request: EdgeRequest) => EdgeAnswer;
};

export type FaultyEdge = { readonly url: string; plant(fault: Fault | null): void; close(): Promise<void> };

export async function startFaultyEdge(service: string): Promise<FaultyEdge> {
  let planted: Fault = {};
  const server = await startLoopbackServer(async (incoming, response) => {
    const { method = "", url: path = "", headers } = incoming;
    const asked: EdgeRequest = { method, path, headers, body: await readBody(incoming) };
    const { request = (one) => one, answer = (one) => one } = planted;
    const changed = request(asked);
    const got = "status" in changed ? changed : answer(await forward(service, changed), asked);
    const { "transfer-encoding": _, connection: __, ...kept } = got.headers;
    response.writeHead(got.status, { ...kept, "content-length": got.body.length });
    response.end(got.body);
  });
  return {
    url: server.url,
    plant: (fault) => {
      planted = fault ?? {};
    },
    close: server.close,
  };
}

async function forward(service: string, { method, path, headers, body }: EdgeRequest): Promise<EdgeAnswer> {
  const { "transfer-encoding": _, connection: __, "content-length": length, ...kept } = headers;
  const sized = length === undefined && body.length === 0 ? {} : { "content-length": body.length };
  return await new Promise((resolve, reject) => {
    const outgoing = open(service + path, { method, headers: { ...kept, ...sized } }, (incoming) => {
      readBody(incoming).then(
        (answered) =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: answered }),
        reject,
      );
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

/** The body as JSON; null where it is none. */
export function jsonOf({ body }: { readonly body: Buffer }): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

export function withJson<Message extends EdgeRequest | EdgeAnswer>(message: Message, json: unknown): Message {
  return { ...message, body: Buffer.from(JSON.stringify(json)) };
}

export function withoutHeader<Message extends EdgeRequest | EdgeAnswer>(
  message: Message,
  name: string,
): Message {
  const { [name]: _, ...headers } = message.headers;
  return { ...message, headers };
}

export function problem(status: number, code: string): EdgeAnswer {
  const body = Buffer.from(JSON.stringify({ error: "Refused.", code, request_id: "planted" }));
  return { status, headers: { "content-type": "application/json" }, body };
}
