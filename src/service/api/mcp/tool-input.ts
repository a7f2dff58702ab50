// The arguments of a tool: the path parameters of its route, the fields of the query and of the body that it takes, and fields
// of its own. Pure.
// Why: docs/decisions/137-tools-derive-from-routes.md

import * as z from "zod/mini";
import { type Field, type Fields, field, schemaOf, strictObject, textOf } from "../../../contract/field.ts";
import { MAX_IDEMPOTENCY_KEY_CHARS, parameterSchemas, text } from "../../../contract/fields.ts";
import { pathParameters } from "../../../contract/path-parameters.ts";
import { parameterNames, type Route } from "../../../contract/route.ts";

/** Arguments whose name is not that of the route's field in snake case. */
const argumentNames: Readonly<Record<string, string>> = {
  agentID: "agent",
  agent_id: "agent",
  executor_agent_id: "agent",
  default_manager_agent_id: "manager",
  id: "workflow_id",
  workingCopyID: "copy_id",
  working_copy_id: "copy_id",
  base_revision_id: "revision_id",
  workerRequestID: "worker_id",
};

const KEY = "idempotency_key";
/** Fields that name an agent, by its id or by its name. */
const agentFields = ["agentID", "agent_id", "executor_agent_id", "default_manager_agent_id"];
/** Ids that are looked up as they are: what is none is not found. */
const looseIds = ["runID", "scheduleID", "approvalID", "id"];

export const agentArgument = field(text(255), "The agent: its id, or its name.");
/** Of tools that start a run. */
export const runKeyText = "Makes the call safe to repeat for 24 hours: the same key gives the same run.";
export const keyText = "Makes the call safe to repeat for 24 hours: the same key gives the same thing.";

/** The field for the most things that an answer has. */
export function atMost(max: number, fallback: number, what: string): Field<z.ZodMiniType<number>> {
  return field(wholeNumber({ minimum: 1, maximum: max, default: fallback }), `${what} at most.`);
}

type InputDetail = {
  readonly takes?: readonly string[];
  readonly finds?: readonly string[];
  readonly fields?: Readonly<Record<string, string | Field | undefined>>;
  readonly adds?: Fields;
};

type RequestPart = "params" | "query" | "body" | "key" | "own";
/** One argument, and the field of the request that it becomes. */
export type ToolArgument = {
  readonly name: string;
  readonly place: RequestPart;
  readonly field: string;
  readonly schema: Field;
  readonly isAgent: boolean;
};

/** The arguments of a tool in the order in which clients see them. */
export function argumentsOf(route: Route, detail: InputDetail): readonly ToolArgument[] {
  const { finds = [], adds = {} } = detail;
  const named = { ...queryFields(route), ...bodyFields(route), ...keyField(route) };
  const takes = detail.takes ?? Object.keys(named);
  const own = Object.keys(adds).filter((name) => !takes.includes(name));
  const params = parameterNames(route.path).filter((name) => !finds.includes(name));
  return [
    ...params.map((name) =>
      argument("params", name, overridden(parameterField(name), detail.fields?.[name])),
    ),
    ...[...takes, ...own].map((name) => {
      const added = adds[name];
      if (added !== undefined) return argument("own", name, added);
      const found = named[name];
      if (found === undefined) throw new TypeError(`Route ${route.operationId} has no field ${name}.`);
      return argument(found.place, name, overridden(found.schema, detail.fields?.[name]));
    }),
  ];
}

/** The schema of the arguments. Unknown ones are refused. */
export function inputSchema(all: readonly ToolArgument[]): z.ZodMiniObject {
  return strictObject(Object.fromEntries(all.map(({ name, schema }) => [name, schema])));
}

function argument(place: RequestPart, name: string, schema: Field): ToolArgument {
  const isOwn = place === "own";
  const isAgent = !isOwn && agentFields.includes(name);
  return { place, field: name, name: isOwn ? name : argumentName(name), isAgent, schema };
}

/** `workspaceID` is `workspace_id`. */
function argumentName(name: string): string {
  return (
    argumentNames[name] ?? name.replace(/ID$/, "_id").replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`)
  );
}

function overridden(schema: Field, by: string | Field | undefined): Field {
  if (by === undefined) return schema;
  return typeof by === "string" ? field(schemaOf(schema) as z.ZodMiniType, by) : by;
}

function parameterField(name: string): Field {
  if (agentFields.includes(name)) return agentArgument;
  const { description } = pathParameters[name as keyof typeof pathParameters];
  return field(looseIds.includes(name) ? text(255) : z.uuid(), description);
}

type Placed = Readonly<Record<string, { readonly place: RequestPart; readonly schema: Field }>>;

function queryFields({ query }: Route): Placed {
  const fields = Object.entries(query?.schema.shape ?? {});
  return Object.fromEntries(
    fields.map(
      ([name, schema]) => [name, { place: "query", schema: agentOr(name, asArgument(schema)) }] as const,
    ),
  );
}

function bodyFields({ body }: Route): Placed {
  if (body?.kind !== "json" || !(body.schema instanceof z.ZodMiniObject)) return {};
  const fields = Object.entries(body.schema.shape as Fields).filter(([name]) => name !== KEY);
  return Object.fromEntries(
    fields.map(([name, schema]) => [name, { place: "body", schema: agentOr(name, schema) }] as const),
  );
}

/** A tool has no headers: its key is an argument, whether or not the route's body has one. */
function keyField({ repeat }: Route): Placed {
  if (repeat !== "keyed") return {};
  const schema = field(z.optional(text(MAX_IDEMPOTENCY_KEY_CHARS)), keyText);
  return { [KEY]: { place: "key", schema } };
}

function agentOr(name: string, schema: Field): Field {
  return agentFields.includes(name) ? field(z.optional(text(255)), textOf(schema) ?? "") : schema;
}

/** A query's field as JSON: a number is one, not its digits. */
function asArgument(schema: z.core.$ZodType): Field {
  const known = parameterSchemas.get(schemaOf(schema) as z.ZodMiniType);
  if (known === undefined) return schema as Field;
  const { type, default: fallback } = known;
  const plain = type === "boolean" ? z._default(z.boolean(), fallback === true) : wholeNumber(known);
  return field(plain, textOf(schema) ?? "");
}

function wholeNumber(known: Readonly<Record<string, unknown>>): z.ZodMiniType<number> {
  const { minimum, maximum, default: fallback } = known;
  const least = z.int().check(z.minimum(Number(minimum)));
  return z._default(
    maximum === undefined ? least : least.check(z.maximum(Number(maximum))),
    Number(fallback),
  );
}
