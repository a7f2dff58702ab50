// A tool: its name and texts, its arguments, its answer, and its handler. Both come of a route, where one does what it does.
// Why: docs/decisions/137-tools-derive-from-routes.md

import type { Tool as ToolListing } from "@modelcontextprotocol/server";
import type * as z from "zod/mini";
import { ok, type Result } from "../../../base/result.ts";
import { type Field, type Fields, strictObject } from "../../../contract/field.ts";
import type { ApiScope } from "../../../contract/oauth/scopes.ts";
import { toSingleSchema } from "../../../contract/openapi/json-schema.ts";
import type { Role } from "../../../contract/roles.ts";
import type { JsonBody, ParameterName, Query, Route } from "../../../contract/route.ts";
import type { AccountCaller } from "../../core/accounts/caller.ts";
import type { Core } from "../../core/core.ts";
import type { PublicProblem } from "../../core/ports/problem.ts";
import type { RunRecord } from "../../core/runs/run-record.ts";
import type { RunSubmitter } from "../../core/runs/submit-run.ts";
import { type AnyAnswer, JsonText, type RouteRequest } from "../http/handler.ts";
import type { Refusal } from "../shared/problems/to-problem.ts";
import { findNamedAgent } from "./find-agent.ts";
import { argumentsOf, inputSchema, type ToolArgument } from "./tool-input.ts";
import type { Waits } from "./waits.ts";

/** The context of a call, beside its arguments. */
export type McpToolContext = {
  readonly core: Core;
  readonly submitter: RunSubmitter;
  /** An AI client, whatever credential the request has. */
  readonly caller: AccountCaller;
  readonly requestId: string;
  readonly waits: Waits;
  /** Aborts when the client goes away or cancels the call. */
  readonly signal: AbortSignal;
  /** Says how far the call is, where the client asked for that. `at` only grows. */
  progress(at: number, message: string): Promise<void>;
  /** Whether the client opens a page for its user when it is asked to. */
  readonly opensPages: boolean;
  /** Whether the client takes a task in the place of a result. */
  readonly takesTasks: boolean;
  /** The text that this tool gave the client to bring back, in a call that goes on after a question. Anybody may have written it. */
  readonly broughtBack: string | null;
};

/** Text of somebody else: an agent, a model, a repository. */
export type Quoted = { readonly label: string; readonly text: string };
export type Link = { readonly uri: string; readonly name: string; readonly mimeType: string };

export type McpToolAnswer<Structured> =
  | {
      readonly type: "answer";
      /** As the tool's output schema has it. */
      readonly structured: Structured;
      /** A few lines for the client's model. */
      readonly text: string;
      readonly quoted?: readonly Quoted[];
      readonly links?: readonly Link[];
      readonly isError?: boolean;
    }
  /** The client follows the run by itself. */
  | { readonly type: "task"; readonly run: RunRecord }
  /** The client opens a page for its user and calls again, with `bringBack`. */
  | {
      readonly type: "open_page";
      readonly url: string;
      readonly message: string;
      readonly bringBack: string;
    };

type ToolResult<Structured> = Promise<Result<McpToolAnswer<Structured>, Refusal | PublicProblem>>;

type Hints = {
  readonly isReadOnly?: true;
  readonly isIdempotent?: true;
  readonly isDestructive?: true;
  /** What it reaches is not bounded by the service: an agent works with repositories and the network. */
  readonly isOpenWorld?: true;
};

type Described = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: Hints;
};

/** A tool of whichever arguments: they are decoded by `input` before it runs. */
export type McpTool<Output extends z.ZodMiniType = z.ZodMiniType> = {
  /** Without the schema of its answer, which would be two thirds of the list. */
  readonly listing: ToolListing;
  /** Of its structured content where it is not refused. */
  readonly output: Output;
  readonly scopes: readonly ApiScope[];
  /** The least role of whoever the client acts for. */
  readonly role: Role;
  readonly input: z.ZodMiniType;
  run(args: unknown, context: McpToolContext): ToolResult<object>;
};

type QueryName<One extends Route> = One extends { readonly query: Query<infer Schema> }
  ? keyof z.output<Schema> & string
  : never;
type BodyName<One extends Route> = One extends { readonly body: JsonBody<infer Schema> }
  ? keyof z.output<Schema> & string
  : never;
type KeyName<One extends Route> = One["repeat"] extends "keyed" ? "idempotency_key" : never;
type FieldName<One extends Route> = QueryName<One> | BodyName<One> | KeyName<One>;
type Part<Whole, Name> = Whole extends null ? null : Pick<Whole, Extract<keyof Whole, Name>>;

/** The route's request as far as the tool takes it, and what the tool takes beside it. */
type ToolRequest<One extends Route, Name, Found, Own> = Omit<
  RouteRequest<One>,
  "caller" | "params" | "query" | "body"
> & {
  readonly caller: AccountCaller;
  readonly params: Omit<RouteRequest<One>["params"], Found & string>;
  readonly query: Part<RouteRequest<One>["query"], Name>;
  readonly body: Part<RouteRequest<One>["body"], Name>;
  readonly own: { readonly [Key in keyof Own]: z.output<Own[Key]> };
};

type RouteTool<
  One extends Route,
  Name extends string,
  Found,
  Own extends Fields,
  Output extends z.ZodMiniType,
> = Described & {
  /** Left out: the route's. */
  readonly scopes?: readonly ApiScope[];
  /** Fields of the route's query and body, and of the tool's own, in their order. Left out: all. */
  readonly takes?: readonly Name[];
  /** Path parameters that no argument names: `run` finds them. */
  readonly finds?: readonly Found[];
  /** Where a field means something else to a tool: its text, or its schema too. */
  readonly fields?: { readonly [Key in FieldName<One> | ParameterName<One["path"]>]?: string | Field };
  /** Arguments that the route has not. */
  readonly adds?: Own;
  readonly output: Output;
  run(request: ToolRequest<One, Name, Found, Own>, context: McpToolContext): ToolResult<z.input<Output>>;
};

/** A tool that does what a route does: its arguments are the route's path parameters, query and body. */
export function tool<
  One extends Route,
  Output extends z.ZodMiniType<unknown, object>,
  const Name extends FieldName<One> | (keyof Own & string) = FieldName<One>,
  const Found extends ParameterName<One["path"]> = never,
  Own extends Fields = Record<never, never>,
>(route: One, detail: RouteTool<One, Name, Found, Own, Output>): McpTool<Output> {
  const all = argumentsOf(route, detail);
  const { scopes = route.scopes ?? [], output, run } = detail;
  const input = inputSchema(all);
  return {
    listing: listingOf({ ...detail, input }),
    output,
    scopes,
    role: route.role ?? "owner",
    input,
    run: async (args, context) => {
      const request = await requestOf(all, args as Readonly<Record<string, unknown>>, { route, context });
      return request.ok
        ? await run(request.value as unknown as ToolRequest<One, Name, Found, Own>, context)
        : request;
    },
  };
}

type OwnTool<Own extends Fields, Output extends z.ZodMiniType> = Described & {
  /** The least role of whoever the client acts for. */
  readonly role: Role;
  readonly scopes: readonly ApiScope[];
  readonly takes: Own;
  readonly output: Output;
  run(
    args: { readonly [Key in keyof Own]: z.output<Own[Key]> },
    context: McpToolContext,
  ): ToolResult<z.input<Output>>;
};

/** A tool for what no single route does. */
export function ownTool<Own extends Fields, Output extends z.ZodMiniType<unknown, object>>(
  detail: OwnTool<Own, Output>,
): McpTool<Output> {
  const { scopes, role, takes, output, run } = detail;
  const input = strictObject(takes);
  return {
    listing: listingOf({ ...detail, input }),
    output,
    scopes,
    role,
    input,
    run: (args, context) => run(args as Parameters<typeof run>[0], context),
  };
}

/** Decoded arguments as the request of the route. Agents that they name are found. */
async function requestOf(
  all: readonly ToolArgument[],
  args: Readonly<Record<string, unknown>>,
  { route, context }: { readonly route: Route; readonly context: McpToolContext },
): Promise<Result<object, Refusal>> {
  const parts: Record<ToolArgument["place"], Record<string, unknown>> = {
    params: {},
    query: {},
    body: {},
    key: {},
    own: {},
  };
  for (const { name, place, field, isAgent } of all) {
    const value = args[name];
    if (value === undefined) continue;
    const agent = isAgent ? await findNamedAgent(context, String(value)) : null;
    if (agent?.ok === false) return agent;
    parts[place][field] = agent === null ? value : agent.value.id;
  }
  const { params, query, body, key, own } = parts;
  const { caller, requestId, signal } = context;
  return ok({
    caller,
    requestId,
    signal,
    params,
    own,
    query: route.query === undefined ? null : query,
    body: route.body === undefined ? null : body,
    idempotencyKey: key.idempotency_key ?? null,
    contentType: "application/json",
    contentLength: null,
    ifMatch: null,
  });
}

/** The listing of a tool for clients. */
export function listingOf(listed: Described & { readonly input: z.ZodMiniType }): ToolListing {
  const { name, title, description, hints, input } = listed;
  const inputSchema = { ...toSingleSchema(input), type: "object" as const };
  return { name, title, description, inputSchema, annotations: annotationsOf(hints) };
}

/** The two hints in the middle mean something of tools that change something only, says the protocol. */
function annotationsOf(hints: Hints): ToolListing["annotations"] {
  const { isReadOnly = false, isDestructive = false, isIdempotent = false, isOpenWorld = false } = hints;
  return {
    readOnlyHint: isReadOnly,
    ...(isReadOnly ? {} : { destructiveHint: isDestructive, idempotentHint: isIdempotent }),
    openWorldHint: isOpenWorld,
  };
}

/** An answer that is more than a refusal. */
export function answer<Structured extends object>(
  structured: Structured,
  text: string,
): { readonly type: "answer"; readonly structured: Structured; readonly text: string } {
  return { type: "answer", structured, text };
}

/** The answer of a route, as the tool answers. */
export function said<Body, Refused, Structured>(
  result: Result<{ readonly body: Body }, Refused>,
  say: (body: Exclude<Body, JsonText>) => McpToolAnswer<Structured>,
): Result<McpToolAnswer<Structured>, Refused> {
  return result.ok ? ok(say(bodyOf(result.value))) : result;
}

/** Whether the page that a route answered with has one after it. */
export function hasMore({ headers }: Pick<AnyAnswer, "headers">): boolean {
  return headers?.Link !== undefined;
}

/** The body of a route's answer. Throws where the route has written it as text. */
export function bodyOf<Body>({ body }: { readonly body: Body }): Exclude<Body, JsonText> {
  if (body instanceof JsonText) throw new TypeError("A tool cannot read an answer that is text already.");
  return body as Exclude<Body, JsonText>;
}
