// The HTTP server of a node: listens at once, and answers "not yet" until it is given an application.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Hono } from "hono";
import { OperatorError } from "../../../base/operator-error.ts";
import type { Problem } from "../../../contract/problems/problem.ts";
import { isSocketRequest, type SocketApi } from "../socket/socket-api.ts";
import { answerExpecting } from "./expected-continue.ts";
import type { Env } from "./request-context.ts";

type Fetch = Hono<Env>["fetch"];

/** To its last byte: a large pack over a slow line. A body in JSON has less, and headers a minute. */
const LONGEST_REQUEST_MS = 60 * 60 * 1000;

/**
 * How long an idle connection stays open: longer than reverse proxies keep theirs (nginx and AWS 60 s, Caddy 120 s), whose next
 * request would otherwise meet a connection that has just ended, which is a 502. Node's own value is 5 s.
 */
const KEEP_ALIVE_MS = 130_000;

/** Another process listens there, or nobody may. */
class ListenError extends OperatorError {
  readonly code = "cannot_listen";
}

type ListenPlace = {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The setting that names the port. "PORT" unless told. */
  readonly setting?: "PORT" | "METRICS_PORT";
};

export class HttpListener {
  readonly #server: Server;
  #answer: RequestListener = answerNotYet;

  constructor() {
    const server: Server = createServer(
      {
        requestTimeout: LONGEST_REQUEST_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        shouldUpgradeCallback: (request) => server.listenerCount("upgrade") > 0 && isSocketRequest(request),
      },
      (request, response) => this.#answer(request, response),
    );
    // Without a listener Node asks for every body at once.
    server.on(
      "checkContinue",
      answerExpecting((request, response) => this.#answer(request, response)),
    );
    this.#server = server;
  }

  /**
   * Returns the URL of the service, without a trailing slash. Port 0 takes a free port. Rejects with a ListenError where
   * it cannot.
   */
  async listen(place: ListenPlace): Promise<string> {
    return addressUrl(place.host, await listen(this.#server, place));
  }

  /** Answers with this application from now on, and gives upgrades to `sockets`, where there are any. */
  serve({ app, sockets }: { app: { readonly fetch: Fetch }; sockets: SocketApi | null }): void {
    if (sockets !== null) this.#server.on("upgrade", sockets.onUpgrade);
    const loading = import("./adapter.ts").then(({ requestListener }) => {
      this.#answer = requestListener(app.fetch);
    });
    this.#answer = (request, response) => void loading.then(() => this.#answer(request, response));
  }

  /** Takes no new connection. `closed` resolves once the last one has ended. */
  stop(): { readonly closed: Promise<void> } {
    return { closed: new Promise<void>((resolve) => this.#server.close(() => resolve())) };
  }

  /** Ends connections that are still open. */
  closeConnections(): void {
    this.#server.closeAllConnections();
  }
}

/** Nothing is logged of it. */
const answerNotYet: RequestListener = (_request, response) => {
  const problem: Problem = {
    error: "The service is starting. Try again in a second.",
    code: "unavailable",
    request_id: "starting",
  };
  response
    .writeHead(503, { "Content-Type": "application/json", "Retry-After": "1" })
    .end(JSON.stringify(problem));
};

async function listen(server: Server, { host, port, setting = "PORT" }: ListenPlace): Promise<AddressInfo> {
  const named = setting === "PORT" ? "--port or PORT" : setting;
  return await new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const text =
        cause.code === "EADDRINUSE"
          ? `Port ${port} on ${host} is taken. Choose another with ${named} (0 takes a free one).`
          : `Nobody can listen on port ${port} of ${host} (${cause.code}). Choose another port with ${named}, or another address with --host or HOST.`;
      reject(new ListenError(text, { cause }));
    });
    server.listen({ port, host, backlog: 4096 }, () => {
      const address = server.address();
      if (address === null || typeof address === "string")
        reject(new Error("The server has no TCP address."));
      else resolve(address);
    });
  });
}

function addressUrl(host: string, address: AddressInfo): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
