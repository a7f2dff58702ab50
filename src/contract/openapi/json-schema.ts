// The contract's schemas as JSON Schema, with references between them and a description on every field. Pure.

import * as z from "zod/mini";
import type { AnyFieldTexts, Component, Components } from "../component.ts";
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
      if ((zodSchema as unknown) !== anyEventSchema) return;
      const { type, required } = jsonSchema;
      const properties = { type: { type: "string" as const, description: "What happened." } };
      const foreign = { description: "An event of a newer service.", type, properties, required };
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      jsonSchema.anyOf = [{ $ref: "#/components/schemas/RunEvent" }, foreign];
    },
  });
  const { __shared: _, ...named } = schemas;
  return Object.fromEntries(
    Object.entries(named).map(([name, { $schema: _, $id: __, ...schema }]) => {
      const { description = "", fields = {}, rules = {} } = components[name] ?? {};
      return [name, { description, ...describeFields(endJson(schema), fields), ...rules }];
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

/** Puts the texts beside the properties that they are for, also within variants, lists and objects without a name. */
function describeFields(schema: JsonObject, texts: AnyFieldTexts): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "properties" && isObject(value)) return [key, describeEach(value, texts)];
      if (Array.isArray(value)) {
        return [key, value.map((one) => (isObject(one) ? describeFields(one, texts) : one))];
      }
      return [key, key === "items" && isObject(value) ? describeFields(value, texts) : value];
    }),
  );
}

function describeEach(properties: JsonObject, texts: AnyFieldTexts): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const text = texts[name];
      if (text === undefined || !isObject(property)) return [name, property];
      const [description, fields] = typeof text === "string" ? [text, {}] : text;
      return [name, { description, ...describeFields(property, fields) }];
    }),
  );
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

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A schema that stands alone, with a description on every field: of a tool's arguments or of its answer. */
export function toSingleSchema({ schema, fields, rules }: Component): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io: "input",
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return { ...describeFields(json, fields), ...rules };
}
