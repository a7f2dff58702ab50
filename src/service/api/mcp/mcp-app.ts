// POST /mcp: the tools of the service for MCP clients. Whatever credential a request has, an AI client makes it.
// Why: docs/decisions/066-an-mcp-request-is-an-ai-client.md

import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { API_VERSION } from "../../../contract/openapi/version.ts";
import { SETS_HEADER, SETS_PARAMETER, type ToolSet } from "../../../contract/tool-sets.ts";
import type { AccountCaller, Caller } from "../../core/accounts/caller.ts";
import type { ScopeRefusal } from "../../core/accounts/refusals.ts";
import type { Core, Policy } from "../../core/core.ts";
import { allowMcpOrigins } from "../http/cors.ts";
import { type FaceEnv, type FaceParts, prepareFace } from "../http/face.ts";
import { answerProblem, answerRefusal } from "../http/problems.ts";
import { bodyTooLarge } from "../http/read-body.ts";
import { admitCaller } from "../shared/admit-caller.ts";
import { bearerOf } from "../shared/bearer.ts";
import { challengeOf } from "../shared/bearer-challenge.ts";
import type { CallParts } from "./call-parts.ts";
import { createMcpServer } from "./server.ts";
import { serviceSurface } from "./service-surface.ts";
import type { Surface } from "./surface.ts";
import { setsOf } from "./tool-sets.ts";
import { Waits } from "./waits.ts";

/** A message of the size that the API takes, and what is around it. */
export const MAX_REQUEST_BYTES = 1024 * 1024 + 64 * 1024;

const identity = { name: "agent-service", title: "Agent Service", version: API_VERSION };

/** The admission that one request carries through the library, which knows its token, client and scopes. */
type Admitted = {
  readonly caller: AccountCaller;
  readonly requestId: string;
  readonly gone: AbortSignal;
  readonly sets: readonly ToolSet[];
  /** Scopes that its access token lacks. */
  lacking: ScopeRefusal | null;
};

export function mcpApp({ core, submitter, corsOrigins }: FaceParts): Hono<FaceEnv> {
  const waits = new Waits();
  const admitted = new WeakMap<object, Admitted>();
  const handler = mcpHandler(core.log, (authInfo) => {
    const request = admitted.get(authInfo);
    if (request === undefined) throw new TypeError("The request was not admitted.");
    const { caller, requestId, gone, sets } = request;
    const lacksScopes = (refusal: ScopeRefusal) => {
      request.lacking = refusal;
    };
    const parts: CallParts = { core, submitter, caller, requestId, waits, gone, lacksScopes };
    return serviceSurface(parts, sets);
  });
  const isForeign = foreignRequests({ ...core.policy, corsOrigins });
  const app = new Hono<FaceEnv>();
  prepareFace(app);
  if (corsOrigins.length > 0) app.use(allowMcpOrigins(corsOrigins));
  app.all("*", async (context) => {
    const refusal = isForeign(context.req.raw);
    if (refusal !== undefined) return refusal;
    const declared = Number(context.req.header("content-length") ?? 0);
    if (declared > MAX_REQUEST_BYTES)
      return answerProblem(context.env.outer, bodyTooLarge(MAX_REQUEST_BYTES));
    const bearer = bearerOf(context.req.header("authorization"));
    const asked = { baseUrl: core.policy.baseUrl, host: context.req.header("host") };
    const caller = await admitCaller(core, { bearer, address: context.get("address") });
    if (!caller.ok) {
      const isUnauthorized = caller.refusal.reason !== "rate_limited";
      if (!isUnauthorized) return answerRefusal(context.env.outer, caller.refusal);
      const error = bearer === null ? {} : { error: "invalid_token" as const };
      return challenged(
        answerRefusal(context.env.outer, caller.refusal),
        challengeOf({ ...asked, ...error }),
      );
    }
    const aiClient = lowered(caller.value);
    if (aiClient === null) return answerRefusal(context.env.outer, { reason: "account_needed" });
    const sets = setsOf(aiClient, [
      context.req.query(SETS_PARAMETER) ?? null,
      context.req.header(SETS_HEADER) ?? null,
    ]);
    if (!sets.ok) return answerProblem(context.env.outer, sets.refusal);
    const authInfo = { token: "", clientId: aiClient.accountId, scopes: [] };
    const requestId = context.get("requestId");
    const gone = context.req.raw.signal;
    const request: Admitted = { caller: aiClient, requestId, gone, sets: sets.value, lacking: null };
    admitted.set(authInfo, request);
    const answer = await handler.fetch(asAccepted(context.req.raw), { authInfo });
    if (request.lacking === null) return answer;
    const challenge = challengeOf({ ...asked, scope: request.lacking.needed, error: "insufficient_scope" });
    return challenged(answerRefusal(context.env.outer, request.lacking), challenge);
  });
  return app;
}

/** The library's handler, of a fresh server for each request. */
export function mcpHandler(log: Core["log"], surfaceOf: (authInfo: object) => Surface): McpHttpHandler {
  return createMcpHandler(({ authInfo = NOBODY }) => createMcpServer(identity, surfaceOf(authInfo)), {
    maxRequestBodySize: MAX_REQUEST_BYTES,
    // What a client sends that is wrong it is told itself.
    onerror: (cause) => log.debug({ err: cause }, "mcp"),
  });
}

const NOBODY = {};

/** Refuses requests of pages that are not the operator's to allow, and those that came by a name that is not the service's (DNS rebinding). */
export function foreignRequests({
  baseUrl,
  webUrl,
  corsOrigins,
}: Pick<Policy, "baseUrl" | "webUrl"> & { readonly corsOrigins: readonly string[] }): (
  request: Request,
) => Response | undefined {
  const own = [baseUrl, webUrl].map((url) => new URL(url).hostname);
  const hosts = [...localhostAllowedHostnames(), ...own];
  const origins = [...localhostAllowedOrigins(), ...own];
  const isAllowed = ({ headers }: Request) =>
    corsOrigins.includes("*") || corsOrigins.includes(headers.get("origin") ?? "");
  return (request) =>
    hostHeaderValidationResponse(request, hosts) ??
    (isAllowed(request) ? undefined : originValidationResponse(request, origins));
}

const ACCEPTED = "application/json, text/event-stream";

/** The library wants both types by name; `*\/*` and no header at all take them, too (RFC 9110, section 12.5.1). */
function asAccepted(request: Request): Request {
  const accept = request.headers.get("accept");
  if (request.method !== "POST" || (accept !== null && !takesAll(accept))) return request;
  const headers = new Headers(request.headers);
  headers.set("accept", ACCEPTED);
  return new Request(request, { headers });
}

function takesAll(accept: string): boolean {
  return accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((one) => one.startsWith("q="))?.slice(2);
    return type === "*/*" && (weight === undefined || Number(weight) > 0);
  });
}

/** A request through MCP is an AI client's, an owner's key in it or not. Null for a CI job. */
function lowered(caller: Caller): AccountCaller | null {
  return caller.kind === "account" ? { ...caller, callerClass: "ai_client" } : null;
}

function challenged(answer: Response, challenge: string): Response {
  answer.headers.set("WWW-Authenticate", challenge);
  return answer;
}
