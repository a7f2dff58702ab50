// Origins of other pages that may call the API. They send their credential by themselves: cookies are never allowed.

import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { answerHeaders, requestHeaders } from "../../../contract/headers.ts";
import type { Env } from "./request-context.ts";

/** The time that a browser keeps the answer to its question, in seconds: browsers cut more to two hours. */
const MAX_AGE_SECONDS = 7_200;

/** `origins` as a browser sends them; "*" stands for every one. */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler<Env> {
  return cors({
    origin: origins.includes("*") ? "*" : [...origins],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: ["Authorization", "Content-Type", ...Object.keys(requestHeaders)],
    exposeHeaders: Object.keys(answerHeaders),
    maxAge: MAX_AGE_SECONDS,
  });
}

/** The same of the MCP endpoint. Whatever header a client of the protocol sends it may: those of a session differ by revision. */
export function allowMcpOrigins(origins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: origins.includes("*") ? "*" : [...origins],
    allowMethods: ["GET", "POST", "DELETE"],
    exposeHeaders: [
      "Mcp-Session-Id",
      "MCP-Protocol-Version",
      "WWW-Authenticate",
      "Retry-After",
      "X-Request-Id",
    ],
    maxAge: MAX_AGE_SECONDS,
  });
}

/** For what reads no cookie and no key: applications in a browser find out there how to sign in, and do so. */
export function allowEveryOrigin(): MiddlewareHandler {
  return cors({
    origin: "*",
    allowMethods: ["GET", "POST"],
    exposeHeaders: ["WWW-Authenticate", "Retry-After", "X-Request-Id"],
    maxAge: MAX_AGE_SECONDS,
  });
}
