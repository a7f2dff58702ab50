// The web's requests and responses over those of Node. Loaded after the start: it loads undici, a tenth of the time until the service is
// ready.
// Why: docs/decisions/080-serve-is-a-bundle-of-its-own.md

import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { Env } from "./request-context.ts";

/** Answers a request to the end, errors included. */
export function requestListener(fetch: Hono<Env>["fetch"]): RequestListener {
  // The adapter ends the connection 500 ms after an answer that did not need the body, also where the next request is at work on it
  // (2.1.8). Node reads the rest of a body by itself.
  return getRequestListener(fetch, { autoCleanupIncoming: false });
}
