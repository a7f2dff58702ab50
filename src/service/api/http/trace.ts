// Follows every request: one span each, in the trace of whoever asked. It says what the service knows by itself: the
// client's address, its headers, the query and the words of a path that no route has are left out.
// https://opentelemetry.io/docs/specs/semconv/http/http-spans/

import type { MiddlewareHandler } from "hono";
import type { Core } from "../../core/core.ts";
import { noTracer } from "../../core/ports/tracer.ts";
import { methodOf, NO_ROUTE, routeOf } from "./measure.ts";
import type { Env } from "./request-context.ts";

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** To be the outermost, so that what the others log is within the span. */
export function traceRequests(core: Core): MiddlewareHandler<Env> {
  const { tracer } = core;
  if (tracer === noTracer) return (_context, next) => next();
  const { protocol, hostname, port } = new URL(core.policy.baseUrl);
  const scheme = protocol.slice(0, -1);
  const server = {
    "url.scheme": scheme,
    "server.address": hostname,
    "server.port": Number(port === "" ? (scheme === "https" ? 443 : 80) : port),
  };
  return async (context, next) => {
    const known = methodOf(context);
    const method = known === "other" ? "HTTP" : known;
    const attributes = { "http.request.method": known === "other" ? "_OTHER" : known, ...server };
    const parent = context.req.header("traceparent") ?? null;
    await tracer.trace({ name: method, kind: "server", parent, attributes }, async (span) => {
      await next();
      const route = routeOf(context);
      const { status } = context.res;
      span.set({ "http.response.status_code": status, "agent_service.request.id": context.get("requestId") });
      if (route !== NO_ROUTE) {
        span.rename(`${method} ${route}`);
        span.set({ "http.route": route, "url.path": knownPath(route, context.req.path) });
      }
      const problem = context.get("problem");
      if (problem !== undefined) span.set({ "agent_service.problem": problem });
      if (status >= 500) span.fail(String(status));
    });
  };
}

/** The route with the ids that were asked for. What stands in their place and is none may be a secret. */
function knownPath(route: string, path: string): string {
  const given = path.split("/");
  return route
    .split("/")
    .map((word, at) => (word.startsWith("{") ? (UUID.test(given[at] ?? "") ? given[at] : "…") : word))
    .join("/");
}
