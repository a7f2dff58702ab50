// The smallest client that can load a service: node:http with connections kept open, so that the client's own work
// takes as little as possible of what is measured.

import { Agent, request } from "node:http";

export type Answer = { readonly status: number; readonly body: string };

export class LoadClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  readonly #base: URL;
  readonly #bearer: string;

  constructor(options: { baseUrl: string; bearer: string }) {
    this.#base = new URL(options.baseUrl);
    this.#bearer = options.bearer;
  }

  /** A body that is no buffer is sent as JSON. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const text = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      const sent = request(
        {
          agent: this.#agent,
          host: this.#base.hostname,
          port: this.#base.port,
          method,
          path,
          headers: {
            authorization: `Bearer ${this.#bearer}`,
            ...(text === undefined
              ? {}
              : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
          );
          response.on("error", reject);
        },
      );
      // The server may close a connection that was idle in the moment in which it is used again.
      sent.on("error", (cause) => {
        if (sent.reusedSocket && "code" in cause && cause.code === "ECONNRESET")
          resolve(this.send(method, path, body, headers));
        else reject(cause);
      });
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
