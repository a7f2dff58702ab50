// The client's methods of one noun, derived from its routes: one a route, named as in the route table.

import type * as z from "zod/mini";
import type { BackoffPolicy } from "../base/backoff.ts";
import type {
  Endpoint,
  JsonAnswer,
  JsonBody,
  NounRoutes,
  ParameterName,
  Query,
  Route,
} from "../contract/route.ts";
import { randomIdempotencyKey } from "./idempotency-key.ts";
import { type Answer, type Call, type Connection, request, requestNothing } from "./request.ts";

/** What a long poll may take beyond the time that the service was asked to wait. */
const LONG_POLL_MARGIN_MS = 15_000;

export type CallOptions = {
  /** Ends a call that is under way: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How often a call that may be repeated is, in the place of the client's policy. */
  readonly retry?: BackoffPolicy | undefined;
};

/** A path's `agentID` is the option `agentId`. */
type OptionName<Name extends string> = Name extends `${infer Head}ID` ? `${Head}Id` : Name;

type PathOptions<One extends Route> = {
  readonly [Name in ParameterName<One["path"]> as OptionName<Name>]: string;
};
type QueryOptions<One extends Route> = One extends { readonly query: Query<infer Schema> }
  ? { readonly query?: { readonly [Name in keyof z.output<Schema>]?: z.output<Schema>[Name] | undefined } }
  : object;
type BodyOptions<One extends Route> = One extends { readonly body: JsonBody<infer Schema, infer IsOptional> }
  ? IsOptional extends true
    ? { readonly body?: z.input<Schema> }
    : { readonly body: z.input<Schema> }
  : object;
type KeyOptions<One extends Route> = One extends { readonly repeat: "keyed" }
  ? {
      /** What makes the call one, however often it is sent. Left out: a random one. */
      readonly idempotencyKey?: string | undefined;
    }
  : object;

/** What a route's method takes: parameters of the path, and `query` and `body` by the names of the wire. */
export type RouteOptions<One extends Route> = PathOptions<One> &
  QueryOptions<One> &
  BodyOptions<One> &
  KeyOptions<One> &
  CallOptions;

type RouteValue<One extends Route> = One["answer"] extends JsonAnswer
  ? z.output<Awaited<ReturnType<One["answer"]>>>
  : void;

export type RouteMethod<One extends Route> =
  object extends RouteOptions<One>
    ? (options?: RouteOptions<One>) => Promise<RouteValue<One>>
    : (options: RouteOptions<One>) => Promise<RouteValue<One>>;

/** A method for each route. */
export type NounClient<Routes extends NounRoutes> = {
  readonly [Name in keyof Routes]: RouteMethod<Routes[Name]>;
};

/** The endpoints of a noun's routes: what there is of them before a schema loads. */
export type EndpointsOf<Routes extends NounRoutes> = {
  readonly [Name in keyof Routes]: Pick<Routes[Name], keyof Endpoint>;
};

export function nounClient<Routes extends NounRoutes>(
  connection: Connection,
  endpoints: EndpointsOf<Routes>,
): NounClient<Routes> {
  const methods = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
    name,
    async (options: AnyOptions = {}) => (await callEndpoint(connection, { endpoint, options })).value,
  ]);
  return Object.fromEntries(methods) as NounClient<Routes>;
}

export type RouteCall<One extends Route> = {
  readonly endpoint: Pick<One, keyof Endpoint>;
  readonly options: RouteOptions<One>;
  /** Where the call is not as its endpoint says. */
  readonly overrides?: Pick<Partial<Call<unknown>>, "credential" | "effect">;
};

/** Calls a route, for the few methods that are not the table's own. */
export async function callRoute<One extends Route>(
  connection: Connection,
  call: RouteCall<One>,
): Promise<Answer<RouteValue<One>>> {
  return (await callEndpoint(connection, call)) as Answer<RouteValue<One>>;
}

/** The options of any route. */
type AnyOptions = CallOptions & {
  readonly query?: Call<unknown>["query"];
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
};

async function callEndpoint(
  connection: Connection,
  { endpoint, options, overrides = {} }: Omit<RouteCall<Route>, "options"> & { options: AnyOptions },
): Promise<Answer<unknown>> {
  const { query = {}, body, signal, retry } = options;
  const wait = Number(query.wait ?? 0);
  const call: Omit<Call<unknown>, "decoder"> = {
    method: endpoint.method,
    path: pathOf(endpoint.path, options as Readonly<Record<string, unknown>>),
    query,
    body,
    ...(endpoint.repeat === "keyed" ? { headers: { "idempotency-key": keyOf(options) } } : {}),
    effect: endpoint.repeat === "once" ? "once" : "repeatable",
    credential: endpoint.callers.length === 0 ? "none" : "renewable",
    ...(wait > 0 ? { timeoutMs: wait * 1000 + LONG_POLL_MARGIN_MS } : {}),
    ...(retry === undefined ? {} : { retry }),
    signal,
    ...overrides,
  };
  const { answer: decoder } = endpoint;
  return typeof decoder === "function"
    ? await request(connection, { ...call, decoder })
    : await requestNothing(connection, { ...call, decoder: null });
}

/** The header's key wins over the body's: what the caller named in either is what is sent. */
function keyOf({ idempotencyKey, body }: AnyOptions): string {
  const named = body as { readonly idempotency_key?: string } | undefined;
  return idempotencyKey ?? named?.idempotency_key ?? randomIdempotencyKey();
}

function pathOf(path: string, options: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const name = parameter.replace(/ID$/, "Id");
    const value = options[name];
    if (typeof value !== "string")
      throw new TypeError(`Option "${name}" must be a string: ${path} needs it.`);
    return encodeURIComponent(value);
  });
}
