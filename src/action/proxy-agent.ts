// The agent for requests through the runner's proxy, by @actions/http-client. Loaded only where there is a proxy.

import type { Agent } from "node:http";
import { HttpClient } from "@actions/http-client";

/** For one origin: HttpClient returns its first agent for every later address. Keeps connections open until it is closed. */
export function openProxyAgent(url: URL): { readonly agent: Agent; close(): void } {
  const client = new HttpClient("agent-service", [], { keepAlive: true, allowRedirects: false });
  return { agent: client.getAgent(url.href), close: () => client.dispose() };
}
