// One route is one typed object. The OpenAPI document, the HTTP registration, the client's methods and the table in
// docs/api.md derive from it: docs/decisions/030-routes-are-one-table.md. Pure.

import type * as z from "zod/mini";
import { expectStrict } from "./closed-objects.ts";
import type { DocumentHeader, RequestHeader } from "./headers.ts";
import type { ApiScope } from "./oauth/scopes.ts";
import type { PathParameter } from "./path-parameters.ts";
import type { ProblemStatus } from "./problems/problem-answers.ts";
import type { Role } from "./roles.ts";
import type { Tag } from "./tags.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who calls: a CI job by its capability, an account's owner by a key, an AI client that acts for the owner. */
export type CallerKind = "job" | "owner" | "ai_client";

/** The callers that most routes have. A route for everybody reads no credential. */
export const everybody = [] as const;
export const jobs = ["job"] as const;
export const owners = ["owner"] as const;
export const accounts = ["owner", "ai_client"] as const;
export const jobsAndAccounts = ["job", "owner", "ai_client"] as const;

/** `/v1/agents/{agentID}` has the parameter `agentID`. */
export type ParameterName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never;

export type JsonBody<Schema extends z.ZodMiniType = z.ZodMiniType, IsOptional extends boolean = boolean> = {
  readonly kind: "json";
  readonly schema: Schema;
  readonly maxBytes: number;
  /** True where a form with the same names is read as well. */
  readonly acceptsForm: boolean;
  /** True where no body stands for an empty object. */
  readonly isOptional: IsOptional;
};

/** A body that is read as a stream. */
export type ByteBody = {
  readonly kind: "bytes";
  readonly maxBytes: number;
  /** Media types that are read. */
  readonly types: readonly string[];
};

export type Query<Schema extends z.ZodMiniObject = z.ZodMiniObject> = { readonly schema: Schema };

/** Whose rate a request counts for: its caller's, its address's, that of exchanges from its address, or nobody's. */
type RateClass = "caller" | "address" | "exchange" | "none";

type AnswerText =
  | string
  | {
      readonly description: string;
      readonly headers: readonly DocumentHeader[];
      /** The content type of an answer of bytes, unless it is application/octet-stream. */
      readonly type?: string;
    };

export type RouteDetail = {
  readonly callers: readonly CallerKind[];
  /** Whether the request may arrive twice: it changes nothing more, its idempotency key sees to that, or it may not. */
  readonly repeat: "safe" | "keyed" | "once";
  /** The schema of an answer in JSON, or what the answer is in its place. */
  readonly answer: z.ZodMiniType | "nothing" | "bytes" | "socket";
  readonly summary: string;
  readonly description?: string;
  readonly query?: Query;
  readonly body?: JsonBody | ByteBody;
  /** The statuses of an answer, which all have `answer` as their body. */
  readonly answers: Readonly<Record<number, AnswerText>>;
  /** Refusals beside those that follow from the rest: see `refusalsOf`. */
  readonly refusals?: readonly ProblemStatus[];
  /** Left out: the caller's; the address's where everybody may call. */
  readonly rate?: RateClass;
  /** Sent as Cache-Control. */
  readonly cacheControl?: string;
  /** True where the answer has an ETag, and If-None-Match gives 304. */
  readonly isTagged?: boolean;
  /** Request headers beside those that follow from the rest. */
  readonly headers?: readonly RequestHeader[];
  /** Scopes that an access token must have, all of them. */
  readonly scopes?: readonly ApiScope[];
  /** The least role of a person in the account, and of the one for whom a key or an application acts. */
  readonly role?: Role;
};

/** A route that an AI client may call says what an access token needs for it. */
type ScopesOf<Detail extends RouteDetail> = "ai_client" extends Detail["callers"][number]
  ? { readonly scopes: readonly ApiScope[] }
  : object;

/** A route that people of an account may call says which of them. */
type RoleOf<Detail extends RouteDetail> = [Exclude<Detail["callers"][number], "job">] extends [never]
  ? object
  : { readonly role: Role };

/** The address of a route: a method and a path, with parameters in braces, spelled as in the API's specification. */
export type Address = { readonly method: Method; readonly path: string };
type AddressOf<Text extends string> = Text extends `${infer One extends Method} ${infer Path}`
  ? { readonly method: One; readonly path: Path }
  : never;

export type Route = Address & RouteDetail & { readonly operationId: string; readonly tag: Tag };

/** The routes of one noun by the names of the client's methods. */
export type NounRoutes = Readonly<Record<string, Route>>;
/** Every route, by noun. */
export type RouteTable = Readonly<Record<string, NounRoutes>>;

/** A route: where it is, and what it takes and gives. Refuses a path whose parameters have no description. */
export function defineRoute<const Where extends `${Method} /${string}`, const Detail extends RouteDetail>(
  address: ParameterName<Where> extends PathParameter ? Where : never,
  detail: Detail & ScopesOf<Detail> & RoleOf<Detail>,
): AddressOf<Where> & Detail {
  const [method, path] = address.split(" ");
  return { ...({ method, path } as AddressOf<Where>), ...detail };
}

type Named<Noun extends string, Routes> = {
  readonly [Name in keyof Routes]: Routes[Name] & {
    readonly operationId: `${Noun}${Capitalize<Name & string>}`;
    readonly tag: Tag;
  };
};

/** Names each route after its noun: `submit` of `runs` is the operation `runsSubmit`. */
export function nounRoutes<
  const Noun extends string,
  const Routes extends Readonly<Record<string, Address & RouteDetail>>,
>(noun: Noun, tag: Tag, routes: Routes): Named<Noun, Routes> {
  const named = Object.entries(routes).map(([name, route]) => [
    name,
    { ...route, tag, operationId: noun + name.charAt(0).toUpperCase() + name.slice(1) },
  ]);
  return Object.fromEntries(named) as Named<Noun, Routes>;
}

/** A body in JSON. Throws where an object in it would take a field of any name. */
export function jsonBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  maxBytes: number,
): JsonBody<Schema, false> {
  expectStrict(schema);
  return { kind: "json", schema, maxBytes, acceptsForm: false, isOptional: false };
}

/** A body in JSON, or as a form with the same names, whose unknown fields are ignored, as an RFC wants it. */
export function openBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  maxBytes: number,
): JsonBody<Schema, false> {
  return { kind: "json", schema, maxBytes, acceptsForm: true, isOptional: false };
}

/** A body in JSON of another protocol, whose unknown fields are ignored: newer versions of its clients send more. */
export function foreignBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  maxBytes: number,
): JsonBody<Schema, false> {
  return { kind: "json", schema, maxBytes, acceptsForm: false, isOptional: false };
}

/** A body in JSON that may be left out: none is an empty object. Throws as `jsonBody` does. */
export function optionalJsonBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  maxBytes: number,
): JsonBody<Schema, true> {
  expectStrict(schema);
  return { kind: "json", schema, maxBytes, acceptsForm: false, isOptional: true };
}

/** A body of bytes that is read as a stream. */
export function byteBody(
  maxBytes: number,
  types: readonly string[] = ["application/octet-stream"],
): ByteBody {
  return { kind: "bytes", maxBytes, types };
}

/** Query parameters. Others are refused. */
export function query<Schema extends z.ZodMiniObject>(schema: Schema): Query<Schema> {
  expectStrict(schema);
  return { schema };
}

/** The names of the parameters in a path, in their order. */
export function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
}

/** Whose rate a route's requests count for. */
export function rateOf({ rate, callers }: Pick<Route, "rate" | "callers">): RateClass {
  return rate ?? (callers.length === 0 ? "address" : "caller");
}

/** Every status that a route may refuse with: what its parts bring with them, and what it lists itself. */
export function refusalsOf(route: Route): readonly ProblemStatus[] {
  const statuses = new Set<ProblemStatus>(route.refusals);
  if (route.callers.length > 0) for (const status of [401, 403] as const) statuses.add(status);
  if (rateOf(route) !== "none") statuses.add(429);
  if (parameterNames(route.path).length > 0) statuses.add(404);
  if (route.query !== undefined) statuses.add(400);
  if (route.repeat === "keyed") for (const status of [400, 422] as const) statuses.add(status);
  if (route.body !== undefined) for (const status of [400, 413, 415] as const) statuses.add(status);
  if (route.headers?.includes("If-Match")) statuses.add(412);
  if (route.headers?.includes("Range")) statuses.add(416);
  statuses.add(500);
  // What is counted or admitted needs the store.
  if (rateOf(route) !== "none" || route.callers.length > 0) statuses.add(503);
  return [...statuses].sort((one, other) => one - other);
}
