// Which pages of other origins may call the API. They send their credential by themselves: cookies are never allowed.

import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { answerHeaders, requestHeaders } from "../../../contract/headers.ts";
import type { Env } from "./request-context.ts";

/** How long a browser keeps the answer to its question, in seconds: browsers cut more to two hours. */
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
