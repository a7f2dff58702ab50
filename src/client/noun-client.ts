// The client's methods of one noun, derived from its routes: one a route, named as in the route table.

import type * as z from "zod/mini";
import type { BackoffPolicy } from "../base/backoff.ts";
import type { Endpoint } from "../contract/endpoints.ts";
import type { ByteBody, JsonBody, NounRoutes, ParameterName, Query, Route } from "../contract/route.ts";
import type { ByteSource, Download } from "./byte-source.ts";
import {
  type ApiCall,
  type ApiConnection,
  type ApiResponse,
  request,
  requestNothing,
  urlOf,
} from "./request.ts";

/** The time that a long poll may take beyond the wait that the service was asked for. */
const LONG_POLL_MARGIN_MS = 15_000;

/** Options of every call. */
export type CallOptions = {
  /** Ends a call that is under way: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The retries of a call that may be repeated, in the place of the client's policy. */
  readonly retry?: BackoffPolicy | undefined;
};

/** A path's `agentID` is the option `agentId`. */
type OptionName<Name extends string> = Name extends `${infer Head}ID` ? `${Head}Id` : Name;

type PathOptions<One extends Route> = {
  readonly [Name in ParameterName<One["path"]> as OptionName<Name>]: string;
};
type QueryOptions<One extends Route> = One extends { readonly query: Query<infer Schema> }
  ? {
      /** Parameters of the query, by the names of the wire. */
      readonly query?: { readonly [Name in keyof z.output<Schema>]?: z.output<Schema>[Name] | undefined };
    }
  : object;
type BodyOptions<One extends Route> = One extends { readonly body: JsonBody<infer Schema, infer IsOptional> }
  ? IsOptional extends true
    ? {
        /** The body, by the names of the wire. */
        readonly body?: z.input<Schema>;
      }
    : {
        /** The body, by the names of the wire. */
        readonly body: z.input<Schema>;
      }
  : object;
type ByteOptions<One extends Route> = One extends { readonly body: ByteBody }
  ? {
      /** The bytes to upload. */
      readonly body: ByteSource;
      /** Left out: `application/octet-stream`. */
      readonly contentType?: string | undefined;
    }
  : object;
type MatchOptions<One extends Route> = One extends { readonly headers: readonly (infer Header)[] }
  ? ("If-Match" extends Header
      ? {
          /** The ETag that the change builds on: ApiError `precondition_failed` when another one holds. */
          readonly ifMatch?: string | undefined;
        }
      : object) &
      ("Range" extends Header
        ? {
            /** From `start`, up to and not including `end`. */
            readonly range?: { readonly start: number; readonly end?: number } | undefined;
          }
        : object)
  : object;
type KeyOptions<One extends Route> = One extends { readonly repeat: "keyed" }
  ? {
      /** The key that makes the call one, however often it is sent. Left out: a random one. */
      readonly idempotencyKey?: string | undefined;
    }
  : object;

/** The options of a route's method: parameters of the path, and `query` and `body` by the names of the wire. */
export type RouteOptions<One extends Route> = PathOptions<One> &
  QueryOptions<One> &
  BodyOptions<One> &
  ByteOptions<One> &
  MatchOptions<One> &
  KeyOptions<One> &
  CallOptions;

type RouteValue<One extends Route> = One["answer"] extends z.ZodMiniType
  ? z.output<One["answer"]>
  : One["answer"] extends "bytes"
    ? Download
    : void;

/** The method of a route: its options, and a promise of the decoded answer. */
export type RouteMethod<One extends Route> =
  object extends RouteOptions<One>
    ? (options?: RouteOptions<One>) => Promise<RouteValue<One>>
    : (options: RouteOptions<One>) => Promise<RouteValue<One>>;

/** A method for each route. */
export type NounClient<Routes extends NounRoutes> = {
  readonly [Name in keyof Routes]: RouteMethod<Routes[Name]>;
};

/** Makes the methods of a noun from its endpoints. */
export function nounClient<Routes extends NounRoutes>(
  connection: ApiConnection,
  endpoints: Readonly<Record<keyof Routes, Endpoint>>,
): NounClient<Routes> {
  const methods = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
    name,
    async (options: AnyOptions = {}) => (await callEndpoint(connection, { endpoint, options })).value,
  ]);
  return Object.fromEntries(methods) as NounClient<Routes>;
}

/** A call of a route, by its endpoint. */
export type RouteCall<One extends Route> = {
  readonly endpoint: Endpoint;
  readonly options: RouteOptions<One>;
  /** Parts of the call that are not as its endpoint says. */
  readonly overrides?: Pick<Partial<ApiCall<unknown>>, "credential" | "effect">;
};

/** Calls a route, for the few methods that are not the table's own. */
export async function callRoute<One extends Route>(
  connection: ApiConnection,
  call: RouteCall<One>,
): Promise<ApiResponse<RouteValue<One>>> {
  return (await callEndpoint(connection, call)) as ApiResponse<RouteValue<One>>;
}

/** The options of any route. */
type AnyOptions = CallOptions & {
  readonly query?: ApiCall<unknown>["query"];
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly contentType?: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly range?: { readonly start: number; readonly end?: number } | undefined;
};

async function callEndpoint(
  connection: ApiConnection,
  { endpoint, options, overrides = {} }: Omit<RouteCall<Route>, "options"> & { options: AnyOptions },
): Promise<ApiResponse<unknown>> {
  const { query = {}, body, signal, retry } = options;
  const wait = Number(query.wait ?? 0);
  const call: Omit<ApiCall<unknown>, "decoder"> = {
    method: endpoint.method,
    path: pathOf(endpoint.path, options as Readonly<Record<string, unknown>>),
    query,
    body,
    headers: headersOf(endpoint, options),
    effect: endpoint.repeat === "once" ? "once" : "repeatable",
    credential: endpoint.isPublic ? "none" : "renewable",
    ...(wait > 0 ? { timeoutMs: wait * 1000 + LONG_POLL_MARGIN_MS } : {}),
    ...(retry === undefined ? {} : { retry }),
    signal,
    ...overrides,
  };
  const { answer: decoder } = endpoint;
  const { streams } = connection;
  if (streams !== undefined && (decoder === "bytes" || streams.isByteSource(body))) {
    const source = streams.isByteSource(body) ? body : null;
    return await streams.callBytes(connection, { ...call, endpoint, source, url: urlOf(connection, call) });
  }
  return typeof decoder === "function"
    ? await request(connection, { ...call, decoder })
    : await requestNothing(connection, { ...call, decoder: null });
}

function headersOf(endpoint: Endpoint, options: AnyOptions): Record<string, string> {
  const { contentType, ifMatch, range } = options;
  return {
    ...(endpoint.repeat === "keyed" ? { "idempotency-key": keyOf(options) } : {}),
    ...(contentType === undefined ? {} : { "content-type": contentType }),
    ...(ifMatch === undefined ? {} : { "if-match": `"${ifMatch}"` }),
    ...(range === undefined
      ? {}
      : { range: `bytes=${range.start}-${range.end === undefined ? "" : range.end - 1}` }),
  };
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

/** A random UUID (version 4). Works on pages without a secure origin too, where `crypto.randomUUID` is missing. */
function randomIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
