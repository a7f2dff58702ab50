// A real server on loopback that answers by a script: one entry a request, the last one for all that follow.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

export type Reply = (request: SeenRequest, response: ServerResponse) => void;

export type ScriptedServer = {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  [Symbol.asyncDispose](): Promise<void>;
};

export async function openScriptedServer(script: readonly Reply[]): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const url = new URL(incoming.url ?? "/", "http://localhost");
    let body = "";
    for await (const chunk of incoming.setEncoding("utf8")) body += chunk;
    const request = {
      method: incoming.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body,
    };
    seen.push(request);
    script[Math.min(seen.length, script.length) - 1]?.(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

export function problem(
  status: number,
  code: string,
  more: { headers?: Record<string, string>; [field: string]: unknown } = {},
): Reply {
  const { headers, ...fields } = more;
  return json(status, { error: `no: ${code}`, code, request_id: "req-1", ...fields }, headers);
}

export function html(status: number): Reply {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "text/html" });
    response.end("<!doctype html><title>Bad Gateway</title>");
  };
}

/** Closes the connection without a word. */
export const reset: Reply = (_request, response) => {
  response.socket?.resetAndDestroy();
};

/** Promises a body and breaks off in its middle. */
export const cutOff: Reply = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"run":', () => response.socket?.destroy());
};

/** Never answers. */
export const silence: Reply = () => {};
