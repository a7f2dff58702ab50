// The schemas of tools' inputs, and the tolerated forms of them: nothing for an optional `null`, a number for "1", a list for
// one text. Pure.

import * as z from "zod/mini";
import { isObject } from "../../../base/json.ts";

/** The schema with what the model is told of the parameter. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/** A whole number with a default, for how many of something are wanted. */
export function countInput(options: {
  readonly max: number;
  readonly fallback: number;
  readonly description: string;
}) {
  const { max, fallback, description } = options;
  const schema = z._default(z.int().check(z.minimum(1), z.maximum(max)), fallback);
  return described(schema, `${description} Default ${fallback}, at most ${max}.`);
}

export function flagInput(description: string) {
  return described(z._default(z.boolean(), false), description);
}

export function pathInput(description: string) {
  return described(z.string().check(z.minLength(1)), description);
}

/** A folder or file; "" is the root. */
export function scopeInput(description: string) {
  return described(z._default(z.string(), ""), description);
}

/** The line from which a page begins. */
export function offsetInput(description: string) {
  return described(z._default(z.int().check(z.minimum(1)), 1), `${description} Counted from 1.`);
}

type JsonSchema = {
  readonly type?: string | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: JsonSchema | undefined;
};

type MeantInput = {
  readonly input: unknown;
  /** Names for which the tool has no parameter. */
  readonly ignored: readonly string[];
};

/** The schema as the model sees it. */
export function jsonSchemaOf(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
  return json;
}

/** Reads an input by the schema of a tool. What does not fit stays as it is, for the schema to refuse. */
export function readInput(schema: Record<string, unknown>, input: unknown): MeantInput {
  const { properties = {} } = schema as JsonSchema;
  const meant = meantBy(schema as JsonSchema, input ?? {});
  const given = isObject(meant) ? Object.keys(meant) : [];
  return { input: meant, ignored: given.filter((name) => !Object.hasOwn(properties, name)) };
}

function meantBy(schema: JsonSchema, value: unknown): unknown {
  switch (schema.type) {
    case "object":
      return objectOf(schema, value);
    case "array": {
      const list = typeof value === "string" ? listOf(value) : value;
      const { items } = schema;
      return Array.isArray(list) && items !== undefined ? list.map((item) => meantBy(items, item)) : list;
    }
    case "integer":
    case "number":
      return typeof value === "string" && /^-?\d{1,15}(\.\d{1,15})?$/.test(value.trim())
        ? Number(value)
        : value;
    case "boolean":
      return value === "true" || value === "True"
        ? true
        : value === "false" || value === "False"
          ? false
          : value;
    default:
      return value;
  }
}

function objectOf({ properties, required = [] }: JsonSchema, value: unknown): unknown {
  if (!isObject(value) || properties === undefined) return value;
  const entries = Object.entries(value).flatMap(([name, given]): [string, unknown][] => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (given === null && !required.includes(name)) return [];
    return [[name, schema === undefined ? given : meantBy(schema, given)]];
  });
  return Object.fromEntries(entries);
}

/** A list as JSON, or the one text that it holds. */
function listOf(text: string): unknown {
  if (!text.trim().startsWith("[")) return [text];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [text];
  } catch {
    return [text];
  }
}
