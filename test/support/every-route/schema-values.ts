// Values that a JSON Schema of the document allows, drawn by a seed. Pure.

import fc from "fast-check";
import { documentedSchemas, type JsonObject } from "../document-checker.ts";

/** Deeper than that, objects have only the fields that they need. */
const MAX_DEPTH = 6;
const MAX_TEXT_CHARS = 60;

/** Ids of things that are there, for fields by their names. */
export type KnownIds = (field: string) => readonly string[];

/** Values of a schema. Knows the words that the document uses, and throws for another one. */
export function valuesOf(
  schema: JsonObject,
  ids: KnownIds,
  at = { field: "", depth: 0 },
): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, enum: words, const: constant, type } = schema;
  if (typeof $ref === "string") return valuesOf(named($ref), ids, at);
  if (Array.isArray(words)) return fc.constantFrom(...(words as unknown[]));
  if (constant !== undefined) return fc.constant(constant);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one) => valuesOf(one as JsonObject, ids, at)));
  // Beside an object's fields: which of them it needs.
  if (Array.isArray(oneOf))
    return fc.oneof(...oneOf.map((one) => valuesOf(withRule(schema, one as JsonObject), ids, at)));
  switch (type) {
    case "string":
      return textsOf(schema, ids(at.field));
    case "integer":
      return fc.integer(rangeOf(schema));
    case "number":
      return fc.double({ ...rangeOf(schema), noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return listsOf(schema, ids, at);
    case "object":
      return objectsOf(schema, ids, at);
    case undefined:
      return fc.jsonValue({ maxDepth: 2 });
    default:
      throw new TypeError(`A schema of the type ${String(type)} is not known.`);
  }
}

function named(reference: string): JsonObject {
  const schema = documentedSchemas[reference.split("/").at(-1) ?? ""];
  if (schema === undefined) throw new TypeError(`The document has no schema ${reference}.`);
  return schema;
}

function withRule({ oneOf: _, ...schema }: JsonObject, rule: JsonObject): JsonObject {
  if (schema.type === undefined) return rule;
  const chosen = listOf(rule.required);
  // The fields that the other rules choose are left out.
  const others = listOf(_)
    .flatMap((one) => listOf((one as JsonObject).required))
    .filter((name) => !chosen.includes(name));
  const fields = Object.entries(schema.properties as JsonObject).filter(([name]) => !others.includes(name));
  const required = [...listOf(schema.required), ...chosen];
  return { ...schema, required, properties: Object.fromEntries(fields) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(
  { format, pattern, minLength, maxLength }: JsonObject,
  ids: readonly string[],
): fc.Arbitrary<string> {
  const least = Number(minLength ?? 0);
  const most = Math.min(Number(maxLength ?? MAX_TEXT_CHARS), Math.max(least, MAX_TEXT_CHARS));
  if (ids.length > 0)
    return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...ids) }, fc.uuid({ version: 4 }));
  if (format === "uuid") return fc.uuid({ version: 4 });
  if (format === "date-time")
    return fc
      .date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern), { size: "small" });
  const range = { minLength: least, maxLength: most };
  return fc.oneof(
    fc.string({ ...range, unit: "grapheme-ascii" }),
    fc.string({ ...range, unit: "grapheme" }),
    fc
      .constantFrom("a.txt", "hello", "ask", "trash/x", "*")
      .filter((text) => text.length >= least && text.length <= most),
  );
}

function rangeOf({ minimum, maximum }: JsonObject): { min: number; max: number } {
  const min = Number(minimum ?? -1_000_000);
  return { min, max: Number(maximum ?? Math.max(1_000_000, min)) };
}

function listsOf(
  schema: JsonObject,
  ids: KnownIds,
  at: { field: string; depth: number },
): fc.Arbitrary<unknown> {
  const least = Number(schema.minItems ?? 0);
  const range = { minLength: least, maxLength: Math.min(Number(schema.maxItems ?? 4), least + 3) };
  return fc.array(valuesOf(schema.items as JsonObject, ids, { ...at, depth: at.depth + 1 }), range);
}

function objectsOf(schema: JsonObject, ids: KnownIds, { depth }: { depth: number }): fc.Arbitrary<unknown> {
  const { properties = {}, required, additionalProperties } = schema;
  const needed = listOf(required) as readonly string[];
  const fields = Object.entries(properties as Readonly<Record<string, JsonObject>>)
    .filter(([name]) => depth < MAX_DEPTH || needed.includes(name))
    .map(([name, field]) => [name, valuesOf(field, ids, { field: name, depth: depth + 1 })] as const);
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: [...needed], noNullPrototype: true });
  if (typeof additionalProperties !== "object" || additionalProperties === null) return known;
  const item = valuesOf(additionalProperties as JsonObject, ids, { field: "", depth: depth + 1 });
  const names = fc.stringMatching(/^[a-z][a-z0-9_-]{0,12}$/);
  return fc
    .tuple(known, fc.dictionary(names, item, { maxKeys: 2 }))
    .map(([one, more]) => ({ ...more, ...(one as object) }));
}
