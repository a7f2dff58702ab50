// Fields of objects, each with its text for the OpenAPI document and for the tools of MCP. Pure.
// Why: docs/decisions/132-a-field-has-its-text-beside-it.md

import * as z from "zod/mini";
import { strictObject as objectWithoutOthers, type StrictTexts } from "../base/strict-object.ts";

/** The text of each field, and the schema that it was made of. */
const fields = new WeakMap<object, { readonly text: string; readonly of: z.ZodMiniType }>();

declare const described: unique symbol;
/** A schema that has a text as the field of an object. */
export type Field<Schema extends z.ZodMiniType = z.ZodMiniType> = Schema & { readonly [described]: true };
export type Fields = Readonly<Record<string, Field>>;

/** The same schema as a field with this text. Bundles that show no text take the schema itself: scripts/contract-in-bundles.ts. */
export function field<Schema extends z.ZodMiniType>(schema: Schema, text: string): Field<Schema> {
  // One schema is many fields. A copy knows what it was made of, by which a schema with a name is found in the document.
  const own = z.clone(schema);
  fields.set(own, { text, of: schema });
  return own as Field<Schema>;
}

export function textOf(schema: object): string | undefined {
  return fields.get(schema)?.text;
}

/** The schema that a field was made of; of any other schema itself. */
export function schemaOf(schema: object): object {
  return fields.get(schema)?.of ?? schema;
}

/** An object of which readers ignore fields that they do not know. A field without a text does not compile. */
export function object<Shape extends Fields>(shape: Shape) {
  return z.object(shape);
}

/** An object whose unknown fields are refused. A field without a text does not compile. */
export function strictObject<Shape extends Fields>(shape: Shape, faults: StrictTexts = {}) {
  return objectWithoutOthers(shape, faults);
}

/** The same object with more fields. */
export function extend<Base extends z.ZodMiniObject, Shape extends Fields>(base: Base, shape: Shape) {
  return z.extend(base, shape);
}
