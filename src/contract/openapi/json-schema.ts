// The contract's schemas as JSON Schema, with references between them and a description on every field. Pure.

import * as z from "zod/mini";
import type { Components } from "../component.ts";
import { schemaOf, textOf } from "../field.ts";
import { parameterSchemas } from "../fields.ts";
import { anyEventSchema } from "../runs/run-event.ts";

export type JsonObject = { readonly [key: string]: unknown };

/** Every schema by its name. As for input: a reader of an answer ignores fields that it does not know. */
export function toJsonSchemas(components: Components): Readonly<Record<string, JsonObject>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, { schema }] of Object.entries(components)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: "draft-2020-12",
    io: "input",
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      tidy(jsonSchema);
      // In the document an event is one of ours, or one of a newer service.
      if (schemaOf(zodSchema) === anyEventSchema) nameEvents(jsonSchema);
      describe(zodSchema, jsonSchema);
    },
  });
  const { __shared: _, ...named } = schemas;
  return Object.fromEntries(
    Object.entries(named).map(([name, { $schema: _, $id: __, ...schema }]) => {
      const { description = "", rules = {} } = components[name] ?? {};
      return [name, { description, ...endJson(schema), ...rules }];
    }),
  );
}

/** The schema of a query parameter or another value without a name. */
export function toJsonSchema(schema: z.ZodMiniType): JsonObject {
  const known = parameterSchemas.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return json;
}

function nameEvents(json: z.core.JSONSchema.BaseSchema): void {
  const { type, required } = json;
  const properties = { type: { type: "string" as const, description: "What happened." } };
  const foreign = { description: "An event of a newer service.", type, properties, required };
  for (const key of Object.keys(json)) delete json[key];
  json.anyOf = [{ $ref: "#/components/schemas/RunEvent" }, foreign];
}

/** Puts the text of a field before the rest of its schema. */
function describe(schema: object, json: z.core.JSONSchema.BaseSchema): void {
  const description = textOf(schema);
  if (description === undefined) return;
  const rest = { ...json };
  for (const key of Object.keys(json)) delete json[key];
  Object.assign(json, { description }, rest);
}

/** The one schema of the contract that holds itself is JSON's: said in words, it needs no name that zod made up. */
function endJson(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    const isJson = typeof value?.$ref === "string" && value.$ref.includes("/__shared#/");
    return isJson ? { description: "Any JSON value." } : value;
  });
}

/** Leaves out what says nothing, and what generators of code stumble over. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  const { additionalProperties, format, maximum, minimum } = schema;
  if (typeof additionalProperties === "object" && Object.keys(additionalProperties).length === 0) {
    schema.additionalProperties = true;
  }
  delete schema.propertyNames;
  if (format !== undefined) delete schema.pattern;
  if (maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** A schema that stands alone, with a description on every field: of a tool's arguments or of its answer. */
export function toSingleSchema(schema: z.ZodMiniType): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      tidy(jsonSchema);
      describe(zodSchema, jsonSchema);
    },
  });
  return json;
}
