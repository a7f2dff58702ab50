// The bounds that a JSON Schema of the document sets, each with a value at it and one beyond it. Pure.

import { documentedSchemas, type JsonObject } from "../document-checker.ts";

export type BoundedValue = {
  /** From the outermost field; an item of a list is 0, a value of a map by its name. */
  readonly path: readonly (string | number)[];
  /** The field's name, as messages call it. */
  readonly name: string;
  /** What the object that has the field needs beside it. */
  readonly beside: Readonly<Record<string, unknown>>;
  readonly rule: string;
  readonly beyond: unknown;
  /** Undefined where another rule of the schema refuses it. */
  readonly at: unknown;
};

type Path = BoundedValue["path"];

/** Longer values are larger than a request may be. */
const MAX_CHARS = 150_000;

export function boundsOf(schema: JsonObject, path: Path = [], seen: readonly string[] = []): BoundedValue[] {
  const { $ref, anyOf, oneOf, allOf, items, additionalProperties } = schema;
  if (typeof $ref === "string") {
    const name = $ref.split("/").at(-1) ?? "";
    return seen.includes(name) ? [] : boundsOf(documentedSchemas[name] ?? {}, path, [...seen, name]);
  }
  const within = (inner: unknown, ...more: Path): BoundedValue[] =>
    typeof inner === "object" && inner !== null
      ? boundsOf(inner as JsonObject, [...path, ...more], seen)
      : [];
  return [
    ...ownBounds(schema, path),
    ...[anyOf, oneOf, allOf].flatMap((some) =>
      Array.isArray(some) ? some.flatMap((one) => within(one)) : [],
    ),
    ...within(items, 0),
    ...fieldsOf(schema).flatMap(([name, field]) =>
      within(field, name).map((bound) =>
        bound.path.length === path.length + 1 ? { ...bound, beside: neededOf(schema) } : bound,
      ),
    ),
    ...within(additionalProperties, "a"),
  ];
}

function ownBounds(schema: JsonObject, path: Path): BoundedValue[] {
  const { maxLength, minLength, maxItems, minItems, maximum, minimum, type, items, pattern } = schema;
  const name = String(path.findLast((part) => typeof part === "string") ?? "");
  const bounded = (
    rule: string,
    bound: unknown,
    values: (bound: number) => { at: unknown; beyond: unknown },
  ) =>
    typeof bound === "number" ? [{ path, name, beside: {}, rule: `${rule} ${bound}`, ...values(bound) }] : [];
  const text = (length: number): string | undefined => {
    const value = "a".repeat(Math.max(0, length));
    return typeof pattern === "string" && !new RegExp(pattern, "u").test(value) ? undefined : value;
  };
  const list = (length: number): unknown[] =>
    Array.from({ length: Math.max(0, length) }, (_, at) => exampleOf((items ?? {}) as JsonObject, at));
  const isText = type === "string";
  return [
    ...(isText && Number(maxLength) < MAX_CHARS
      ? bounded("maxLength", maxLength, (most) => ({ at: text(most), beyond: "a".repeat(most + 1) }))
      : []),
    ...(isText && Number(minLength) > 0
      ? bounded("minLength", minLength, (least) => ({ at: text(least), beyond: "a".repeat(least - 1) }))
      : []),
    ...bounded("maxItems", maxItems, (most) => ({ at: undefined, beyond: list(most + 1) })),
    ...(Number(minItems) > 0
      ? bounded("minItems", minItems, (least) => ({ at: undefined, beyond: list(least - 1) }))
      : []),
    ...bounded("maximum", maximum, (most) => ({ at: most, beyond: most + 1 })),
    ...bounded("minimum", minimum, (least) => ({ at: least, beyond: least - 1 })),
  ];
}

function fieldsOf({ properties }: JsonObject): readonly (readonly [name: string, schema: JsonObject])[] {
  return Object.entries((properties ?? {}) as Readonly<Record<string, JsonObject>>);
}

function neededOf(schema: JsonObject): Readonly<Record<string, unknown>> {
  const needed = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = fieldsOf(schema).filter(([name]) => needed.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, 0)]));
}

/** A value that is different for each item of a list. */
function exampleOf(schema: JsonObject, at: number): unknown {
  const { $ref, enum: words } = schema;
  if (typeof $ref === "string") return exampleOf(documentedSchemas[$ref.split("/").at(-1) ?? ""] ?? {}, at);
  if (Array.isArray(words)) return words[at % words.length];
  switch (schema.type) {
    case "string":
      return `item-${at}`;
    case "integer":
    case "number":
      return at + 1;
    case "object":
      return Object.fromEntries(fieldsOf(schema).map(([name, one]) => [name, exampleOf(one, at)]));
    default:
      return at;
  }
}

/** The value with the bound's field as `inner`; what its path leads through is made where it is missing. */
export function withValue(
  value: unknown,
  { path, beside }: Pick<BoundedValue, "path" | "beside">,
  inner: unknown,
): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return inner;
  const next = { path: rest, beside };
  if (typeof first === "number") return [withValue(Array.isArray(value) ? value[0] : undefined, next, inner)];
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const whole = { ...(rest.length === 0 ? beside : {}), ...object } as Readonly<Record<string, unknown>>;
  return { ...whole, [first]: withValue(whole[first], next, inner) };
}
