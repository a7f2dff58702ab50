// A schema with a name of its own in the OpenAPI document. Pure.

import type * as z from "zod/mini";

export type Component = {
  readonly schema: z.ZodMiniType;
  readonly description: string;
  /** JSON Schema for what the schema checks in code. */
  readonly rules: Readonly<Record<string, unknown>>;
};

/** An object whose fields have texts, a list or a union. */
export function component(
  schema: z.ZodMiniType,
  description: string,
  rules: Component["rules"] = {},
): Component {
  return { schema, description, rules };
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
