// The objects within a schema, and which of them take fields of any name. Pure.
// Why: docs/decisions/115-unknown-fields-are-refused.md

import * as z from "zod/mini";

/** An object with known fields, or a map of any names: by its path, with `[]` for the items of a list and `*` for those of a map. */
export type ObjectPlace = { readonly path: string; readonly kind: "strict" | "open" | "map" };

/** Kinds of schemas that hold no object with fields of its own. */
const plainTypes: ReadonlySet<string> = new Set([
  "string",
  "number",
  "int",
  "boolean",
  "enum",
  "literal",
  "null",
  "undefined",
  "unknown",
  "never",
]);

/** Every object that a value may have, in each variant of a union. Throws for a kind of schema that it does not know. */
export function objectPlaces(schema: unknown, path = ""): readonly ObjectPlace[] {
  if (schema instanceof z.ZodMiniObject) {
    const kind = schema.def.catchall instanceof z.ZodMiniNever ? "strict" : "open";
    const fields = Object.entries(schema.shape).flatMap(([name, field]) =>
      objectPlaces(field, path === "" ? name : `${path}.${name}`),
    );
    return [{ path, kind }, ...fields];
  }
  if (schema instanceof z.ZodMiniRecord)
    return [{ path, kind: "map" }, ...objectPlaces(schema.def.valueType, `${path}.*`)];
  if (schema instanceof z.ZodMiniArray) return objectPlaces(schema.def.element, `${path}[]`);
  if (schema instanceof z.ZodMiniUnion || schema instanceof z.ZodMiniDiscriminatedUnion)
    return schema.def.options.flatMap((one) => objectPlaces(one, path));
  if (schema instanceof z.ZodMiniPipe) return objectPlaces(schema.def.in, path);
  if (
    schema instanceof z.ZodMiniOptional ||
    schema instanceof z.ZodMiniNullable ||
    schema instanceof z.ZodMiniDefault
  )
    return objectPlaces(schema.def.innerType, path);
  if (schema instanceof z.ZodMiniType && plainTypes.has(schema.def.type)) return [];
  throw new TypeError(`The objects in ${path === "" ? "a schema" : path} are not known.`);
}

/** Throws where an object of a request would take a field that it does not know, and leave it out without a word. */
export function expectStrict(schema: z.ZodMiniType): void {
  const open = objectPlaces(schema).filter(({ kind }) => kind === "open");
  if (open.length === 0) return;
  const places = open.map(({ path }) => (path === "" ? "it" : path)).join(", ");
  throw new TypeError(
    `A request takes unknown fields in ${places}. Make it by strictObject, or by openBody or foreignBody.`,
  );
}
