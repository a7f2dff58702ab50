// Between an agent and its model's API: passes on every request and answer as it is, and counts what went over the wire.

import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody, startLoopbackServer } from "../../fakes/code-host/server.ts";
import { SentRequests } from "./repeated-prefix.ts";
import { type CallTokens, tokensOf } from "./wire-usage.ts";

export type WireCall = {
  readonly status: number;
  readonly sentBytes: number;
  /** Those with which an earlier request began as well. */
  readonly repeatedBytes: number;
  readonly answerBytes: number;
  /** Null where the answer says nothing of them. */
  readonly tokens: CallTokens | null;
};

export interface WireRelay {
  /** In the place of the model's own address. */
  readonly baseUrl: string;
  /** Those that have ended, in the order of their ends. */
  readonly calls: readonly WireCall[];
  close(): Promise<void>;
}

/** Headers of one connection, which the next one has of its own; `accept-encoding`, so that answers can be read. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "host",
  "keep-alive",
  "transfer-encoding",
]);

/** `baseUrl` is the model's own. */
export async function startWireRelay(baseUrl: string): Promise<WireRelay> {
  const target = new URL(baseUrl);
  const calls: WireCall[] = [];
  const sent = new SentRequests();
  const server = await startLoopbackServer(async (request, response) => {
    const body = await readBody(request);
    const repeatedBytes = request.method === "POST" ? sent.next(body.toString("utf8")) : 0;
    const answer = await fetch(new URL(request.url ?? "/", target.origin), {
      method: request.method ?? "GET",
      headers: headersOf(request),
      redirect: "manual",
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const text = await passOn(answer, response);
    if (request.method !== "POST") return;
    calls.push({
      status: answer.status,
      sentBytes: body.length,
      repeatedBytes,
      answerBytes: Buffer.byteLength(text),
      tokens: tokensOf(text),
    });
  });
  return {
    baseUrl: `${server.url}${target.pathname.replace(/\/$/, "")}`,
    calls,
    close: () => server.close(),
  };
}

async function passOn(answer: Response, response: ServerResponse): Promise<string> {
  const headers = [...answer.headers].filter(([name]) => !OWN_HEADERS.has(name));
  response.writeHead(answer.status, Object.fromEntries(headers));
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of answer.body ?? []) {
      response.write(chunk);
      text += decoder.decode(chunk, { stream: true });
    }
    response.end();
  } catch {
    // The model's server broke off: so does the answer.
    response.destroy();
  }
  return text;
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    OWN_HEADERS.has(name) || value === undefined ? [] : [[name, String(value)]],
  );
}
