// Serves a route table: rate, credential, key, query and body as each route's entry says, then its handler, then the
// answer that the entry promises.

import type { Context, Hono } from "hono";
import { assertNever } from "../../../base/assert-never.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { type Route, type RouteTable, rateOf } from "../../../contract/route.ts";
import { type Caller, needRole, needScopes } from "../../core/accounts/caller.ts";
import { authenticate } from "../../core/authentication/authenticate.ts";
import type { Core } from "../../core/core.ts";
import type { PublicProblem } from "../../core/ports/problem.ts";
import { admitCaller, chargeAddress, chargeExchange } from "../shared/admit-caller.ts";
import { bearerOf } from "../shared/bearer.ts";
import { challengeOf } from "../shared/bearer-challenge.ts";
import { decode } from "../shared/decode.ts";
import type { Refusal } from "../shared/problems/to-problem.ts";
import { answerBytes, type ByteContent } from "./bytes/answer-bytes.ts";
import { readIfMatch } from "./bytes/preconditions.ts";
import { RequestBodyError, requestBytes } from "./bytes/request-bytes.ts";
import { answerTagged, tagBody } from "./entity-tag.ts";
import { type AnyAnswer, type Handlers, JsonText, type RouteRequest } from "./handler.ts";
import { type HangUp, hangUpOf } from "./hang-up.ts";
import { headerKeyOf, REPLAY_HEADER, takeKey } from "./idempotency-key.ts";
import { answerProblem, answerRefusal } from "./problems.ts";
import { type BodyContext, readBody } from "./read-body.ts";
import type { Env, RequestContext } from "./request-context.ts";

type ServedTable<Table extends RouteTable> = {
  readonly routes: Table;
  readonly handlers: Handlers<Table>;
  /** Exchanges a minute of one address. */
  readonly exchangeRatePerMinute: number;
  /** Whether a refused credential's answer says where a client gets a token. Left out: it does not. */
  readonly offersTokens?: boolean;
};

type Failure = Refusal | PublicProblem;
/** A handler of any route: `readRequest` decodes by the same entry of the table that its type comes from. */
export type AnyHandler = (request: RouteRequest<Route>) => Promise<Result<AnyAnswer, Failure>>;

export function serveRoutes<Table extends RouteTable>(
  app: Hono<Env>,
  core: Core,
  table: ServedTable<Table>,
): void {
  for (const ofNoun of openedRoutes(table.routes, table.handlers).values()) {
    for (const opened of ofNoun.values()) {
      const serve = (context: Context<Env>) => serveRoute(context, { core, ...opened, ...table });
      app.on(opened.route.method, honoPath(opened.route.path), serve);
    }
  }
}

/** Each route with its handler. */
export function openedRoutes<Table extends RouteTable>(
  routes: Table,
  handlers: Handlers<Table>,
): ReadonlyMap<string, ReadonlyMap<string, { readonly route: Route; readonly handler: AnyHandler }>> {
  const byNoun = Object.entries(routes).map(([noun, ofNoun]) => {
    const named = handlers[noun] as unknown as Readonly<Record<string, AnyHandler>>;
    const opened = Object.entries(ofNoun).map(([name, route]) => {
      const handler = named[name];
      if (handler === undefined) throw new TypeError(`Route ${route.operationId} has no handler.`);
      return [name, { route, handler }] as const;
    });
    return [noun, new Map(opened)] as const;
  });
  return new Map(byNoun);
}

/** `/v1/agents/{agentID}` as Hono spells it. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

type Serving = {
  readonly core: Core;
  readonly route: Route;
  readonly handler: AnyHandler;
  readonly exchangeRatePerMinute: number;
  readonly offersTokens?: boolean;
};

/** Answers a request by its route. */
export async function serveRoute(context: RequestContext, serving: Serving): Promise<Response> {
  const { core, route, handler } = serving;
  const caller = await admit(context, serving);
  if (!caller.ok)
    return withChallenge(answerFailure(context, caller.refusal), serving, {
      failure: caller.refusal,
      host: context.req.header("host"),
    });
  const hangUp = hangUpOf(context);
  let isStreaming = false;
  try {
    const request = await readRequest(context, route, { core, caller: caller.value, hangUp });
    if (!request.ok) return answerFailure(context, request.refusal);
    const answer = await handler(request.value);
    if (!answer.ok) return answerFailure(context, answer.refusal);
    isStreaming = route.answer === "bytes";
    return await writeAnswer(context, { route, hangUp }, answer.value);
  } catch (cause) {
    if (cause instanceof RequestBodyError) return answerProblem(context, cause.problem);
    throw cause;
  } finally {
    if (!isStreaming) hangUp.stop();
  }
}

/** Takes the request from the rate that it counts for, and finds out who calls. */
async function admit(
  context: RequestContext,
  { core, route, exchangeRatePerMinute }: Serving,
): Promise<Result<Caller | null, Failure>> {
  const address = context.get("address");
  const rate = rateOf(route);
  switch (rate) {
    case "none":
      return ok(null);
    case "address": {
      const excess = chargeAddress(core, address);
      return excess === null ? ok(null) : refused(excess);
    }
    case "exchange": {
      const excess = chargeExchange(core, { address, perMinute: exchangeRatePerMinute });
      return excess === null ? ok(null) : refused(excess);
    }
    case "caller": {
      const bearer = bearerOf(context.req.header("authorization"));
      const caller = await admitCaller(core, { bearer, address });
      return caller.ok ? refuseCaller(route, caller.value) : caller;
    }
    default:
      return assertNever(rate);
  }
}

/** Refuses callers of a class or a role, or with a token, that the route does not take. What only its owner may do, the use case says, with a link. */
function refuseCaller(
  { callers, scopes = [], role = "owner" }: Route,
  caller: Caller,
): Result<Caller, Failure> {
  const isJob = caller.kind === "ci_job";
  if (isJob && !callers.includes("job")) return refused({ reason: "account_needed" });
  if (!isJob && !callers.some((one) => one !== "job")) return refused({ reason: "capability_needed" });
  const granted = needScopes(caller, scopes);
  if (!granted.ok) return granted;
  const held = needRole(caller, role);
  return held.ok ? ok(caller) : held;
}

/** Tells a client where to get a token that would do, and for what: RFC 9728. Jobs get theirs in another way. */
function withChallenge(
  answer: Response,
  serving: Serving,
  { failure, host }: { readonly failure: Failure; readonly host: string | undefined },
): Response {
  const { core, route, offersTokens = false } = serving;
  const { scopes } = route;
  const asked = { baseUrl: core.policy.baseUrl, host };
  if (!offersTokens || scopes === undefined || !("reason" in failure)) return answer;
  if (answer.status === 401) {
    const isBare = failure.reason === "credential_missing";
    const challenge = isBare ? {} : ({ error: "invalid_token" } as const);
    answer.headers.set("WWW-Authenticate", challengeOf({ ...asked, ...challenge }));
  } else if (failure.reason === "scope_needed") {
    const challenge = challengeOf({ ...asked, error: "insufficient_scope", scope: scopes });
    answer.headers.set("WWW-Authenticate", challenge);
  }
  return answer;
}

async function readRequest(
  context: RequestContext,
  route: Route,
  { core, caller, hangUp }: { core: Core; caller: Caller | null; hangUp: HangUp },
): Promise<Result<RouteRequest<Route>, PublicProblem>> {
  const headerKey = headerKeyOf(context, route);
  if (!headerKey.ok) return headerKey;
  const query =
    route.query === undefined ? ok(null) : decode(route.query.schema, queryOf(context), "The query");
  if (!query.ok) return query;
  const body = await bodyOf(context, route, { hasKey: headerKey.value !== null, clock: core.clock });
  if (!body.ok) return body;
  const keyed = takeKey(context, route, { headerKey: headerKey.value, body: body.value });
  if (!keyed.ok) return keyed;
  const request = {
    caller,
    params: context.req.param(),
    query: query.value,
    body: keyed.value.body,
    idempotencyKey: keyed.value.key,
    requestId: context.get("requestId"),
    contentType: context.req.header("content-type") ?? "",
    contentLength: contentLengthOf(context),
    ifMatch: readIfMatch(context.req.header("if-match")),
    lastEventId: context.req.header("last-event-id") ?? null,
    callerNow: async () => {
      const now = await authenticate(core, bearerOf(context.req.header("authorization")));
      return now.ok ? now.value : null;
    },
    get signal() {
      return hangUp.signal;
    },
  };
  return ok(request as RouteRequest<Route>);
}

/** Without names that begin with an underscore: they get a request past caches, and are never ours. */
function queryOf(context: RequestContext): Readonly<Record<string, string>> {
  const query = context.req.query();
  const names = Object.keys(query);
  if (!names.some((name) => name.startsWith("_"))) return query;
  return Object.fromEntries(Object.entries(query).filter(([name]) => !name.startsWith("_")));
}

function contentLengthOf(context: RequestContext): number | null {
  const length = context.req.header("content-length");
  return length === undefined ? null : Number(length);
}

async function bodyOf(
  context: RequestContext,
  { body }: Route,
  read: BodyContext,
): Promise<Result<unknown, PublicProblem>> {
  if (body === undefined) return ok(null);
  return body.kind === "json" ? await readBody(context, body, read) : requestBytes(context, body);
}

async function writeAnswer(
  context: RequestContext,
  { route, hangUp }: { route: Route; hangUp: HangUp },
  answer: AnyAnswer,
): Promise<Response> {
  const { body } = answer;
  const { cacheControl } = route;
  const headers = {
    ...answer.headers,
    ...(cacheControl === undefined ? {} : { "Cache-Control": cacheControl }),
    ...(answer.isReplay === true ? { [REPLAY_HEADER]: "true" } : {}),
  };
  if (body !== null && route.answer === "bytes")
    return await answerBytes(context, body as ByteContent, { hangUp, headers });
  const status = Number(answer.status ?? Object.keys(route.answers)[0]);
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  context.status(status as Parameters<typeof context.status>[0]);
  if (body === null) return context.body(null);
  const json = body instanceof JsonText ? body.text : JSON.stringify(body);
  if (route.isTagged === true) {
    return answerTagged(context, { ...tagBody(json), contentType: "application/json" });
  }
  context.header("Content-Type", "application/json");
  return context.body(json);
}

function answerFailure(context: RequestContext, failure: Failure): Response {
  return "reason" in failure ? answerRefusal(context, failure) : answerProblem(context, failure);
}
