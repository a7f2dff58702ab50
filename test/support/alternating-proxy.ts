// A load balancer without memory: each request goes to the next of several servers, whatever came before.

import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";

export type AlternatingProxy = {
  readonly url: string;
  /** The servers that were asked, in order: `POST /path 0`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
};

export async function startAlternatingProxy(urls: readonly string[]): Promise<AlternatingProxy> {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const at = asked.length % urls.length;
    const { hostname, port } = new URL(urls[at] ?? "");
    asked.push(`${incoming.method} ${new URL(incoming.url ?? "/", "http://x").pathname} ${at}`);
    const { method, url, headers } = incoming;
    const passed = send({ hostname, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
