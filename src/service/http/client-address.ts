// Whom a request came from, for rate limits.

import type { RequestContext } from "./request-context.ts";

/**
 * The peer's address; or, behind `trustedHops` proxies of the operator's, the address that the outermost of them saw.
 * What a client itself wrote into X-Forwarded-For is never used.
 */
export function clientAddress(context: RequestContext, trustedHops: number): string {
  const peer = context.env.incoming.socket.remoteAddress ?? "unknown";
  if (trustedHops === 0) return peer;
  const forwarded = (context.req.header("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  return forwarded.at(-trustedHops) || peer;
}
