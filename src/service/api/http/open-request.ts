// The opening of every request, before its route: an id, a logger, the address that rate limits count, and a line in the log.

import type { MiddlewareHandler } from "hono";
import type { Core } from "../../core/core.ts";
import { clientAddress } from "../shared/client-address.ts";
import type { Env } from "./request-context.ts";

export function openRequest(
  core: Core,
  options: { readonly trustedProxyHops: number },
): MiddlewareHandler<Env> {
  return async (context, next) => {
    const startedAt = core.clock.monotonic();
    const requestId = core.random.uuid(core.clock.now());
    context.set("requestId", requestId);
    context.set("log", () => core.log.child({ request_id: requestId }));
    const { remoteAddress: peer } = context.env.incoming.socket;
    const forwardedFor = context.req.header("x-forwarded-for");
    context.set("address", clientAddress({ peer, forwardedFor }, options.trustedProxyHops));
    // Set before the answer is made: changed afterwards, it would be made twice.
    context.header("X-Request-Id", requestId);
    // A browser that is sent to an answer takes it for what it says it is, never for a page or a script.
    context.header("X-Content-Type-Options", "nosniff");
    await next();
    const { method, path } = context.req;
    const { status } = context.res;
    const fields = {
      request_id: requestId,
      method,
      path: loggedPath(path),
      status,
      duration_ms: core.clock.monotonic() - startedAt,
    };
    if (status >= 500) core.log.error(fields, "request");
    else core.log.debug(fields, "request");
  };
}

/** The paths of which what follows is a secret: it is not for logs or answers. */
const secretPaths = ["/claim/", "/sign-in/link/", "/sign-in/claim/", "/v1/downloads/", "/site/"];

export function loggedPath(path: string): string {
  const start = secretPaths.find((one) => path.startsWith(one));
  return start === undefined ? path : `${start}…`;
}
