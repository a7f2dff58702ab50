// A schema with a name of its own in the OpenAPI document, and what each of its fields means. Pure.

import type * as z from "zod/mini";

type Item<Value> = Value extends readonly (infer One)[] ? One : Value;
/** The objects with known fields that a value may be, or may be a list of. */
type KnownObject<Value> =
  Item<Value> extends infer One
    ? One extends readonly unknown[]
      ? never
      : One extends object
        ? string extends keyof One
          ? never
          : One
        : never
    : never;
type KeyOf<Value> = Value extends unknown ? keyof Value & string : never;
type FieldOf<Value, Key> = Value extends unknown ? (Key extends keyof Value ? Value[Key] : never) : never;

/** What a field means; with the fields of an object that has no name of its own. */
export type FieldText<Value> = [KnownObject<Value>] extends [never]
  ? string
  : string | readonly [text: string, fields: FieldTexts<KnownObject<Value>>];

/** A text for every field, in whichever variant of a union it is. */
export type FieldTexts<Value> = {
  readonly [Key in KeyOf<KnownObject<Value>>]: FieldText<FieldOf<KnownObject<Value>, Key>>;
};

/** As the document reads it: the types above have checked it by then. */
export type AnyFieldTexts = {
  readonly [key: string]: string | readonly [text: string, fields: AnyFieldTexts];
};

export type Component = {
  readonly schema: z.ZodMiniType;
  readonly description: string;
  readonly fields: AnyFieldTexts;
  /** JSON Schema for what the schema checks in code. */
  readonly rules: Readonly<Record<string, unknown>>;
};

/** An object, or a union of objects. A field without a text does not compile. */
export function component<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  fields: FieldTexts<z.input<Schema>>,
  rules: Component["rules"] = {},
): Component {
  return { schema, description, fields: fields as AnyFieldTexts, rules };
}

/** A list, or a union, of schemas that have names themselves. */
export function collection(schema: z.ZodMiniType, description: string): Component {
  return { schema, description, fields: {}, rules: {} };
}

/** Exactly one of two fields. */
export function oneOf(...names: readonly string[]): Component["rules"] {
  const only = (name: string) => ({
    required: [name],
    // Some readers look for a required property in the variant alone.
    properties: { [name]: { description: "The one that is sent." } },
  });
  return { oneOf: names.map(only) };
}

export type Components = Readonly<Record<string, Component>>;
