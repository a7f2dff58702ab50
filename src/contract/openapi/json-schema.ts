// The contract's schemas as JSON Schema, with references between them. Pure.

import * as z from "zod/mini";
import { storedRunEventSchema } from "../runs/run-event.ts";
import type { JsonObject } from "./parts.ts";
import { documentSchemas } from "./schemas.ts";

/** Any event: in the document one of ours, or of a newer service. */
const anyEventSchema = storedRunEventSchema.shape.event;

/** Every schema of the document by its name. As for input: whoever reads an answer ignores fields that it does not know. */
export function toJsonSchemas(): Readonly<Record<string, JsonObject>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(documentSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: "draft-2020-12",
    io: "input",
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      tidy(jsonSchema);
      if (zodSchema !== anyEventSchema) return;
      const { type, properties, required } = jsonSchema;
      const foreign = { description: "An event of a newer service.", type, properties, required };
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      jsonSchema.anyOf = [{ $ref: "#/components/schemas/RunEvent" }, foreign];
    },
  });
  const { __shared: _, ...named } = schemas;
  return Object.fromEntries(
    Object.entries(named).map(([name, { $schema: _, $id: __, ...schema }]) => [name, endJson(schema)]),
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
