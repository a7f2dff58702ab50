// The schemas of which a request's allow-list is made. An object keeps the fields that its schema names and loses all
// others; a kind that no schema names, and a field that is refused, fail with a sentence. Pure.

import * as z from "zod/mini";
import { isObject } from "../../../../../../base/json.ts";

/** Why a field or a kind is not passed on, and what to do. */
export const reasons = {
  executed:
    "the model's provider would execute it, outside of the run's sandbox, network and budget. Turn it off in the agent's settings; tools that the agent itself executes are passed on",
  fetched:
    "the model's provider would fetch it, outside of the run's network. Send the contents in the request, as base64",
  stored:
    "it names what the model's provider stores for the owner of the key. Send the contents in the request",
  priced: "it changes what the request costs, or which model answers. Leave it out",
  kept: "the model's provider would store the request and its answer. Leave it out, or set it to false",
} as const;

/** JSON as it is: what the model reads or has written, schemas of tools and of answers. */
export const json = z.optional(z.unknown());
export const text = z.string();
export const optionalText = z.nullish(z.string());
export const optionalNumber = z.nullish(z.number());
export const optionalFlag = z.nullish(z.boolean());
export const texts = z.nullish(z.array(z.string()));
/** The names of functions. Some servers call their own tools by names with other characters, such as "$web_search". */
export const toolName = z
  .string()
  .check(z.regex(/^[\w.:/-]{1,200}$/, "must be a tool's name: letters, digits and _ . : / -"));

/** A schema of any value. */
export type Kept = z.ZodMiniType<unknown, unknown>;

/** A field that has to be absent. One of the `harmless` values, null and an empty list are left out without a word. */
export function refused(why: string, harmless: readonly unknown[] = []): Kept {
  const isHarmless = (value: unknown) =>
    value === null || harmless.includes(value) || (Array.isArray(value) && value.length === 0);
  const accepted = z.unknown().check(z.refine(isHarmless, `is not passed on: ${why}.`));
  return z.optional(
    z.pipe(
      accepted,
      z.transform(() => undefined),
    ),
  );
}

/** The value by the schema that is chosen for it; a text instead of one says why there is none. */
export function chosen(choose: (value: unknown) => Kept | string): Kept {
  return z.pipe(
    z.unknown(),
    z.transform((value, context) => {
      const schema = choose(value);
      const read = typeof schema === "string" ? null : schema.safeParse(value);
      if (read?.success === true) return read.data;
      const issues = read?.error.issues ?? [{ path: [], message: String(schema) }];
      context.issues.push(
        ...issues.map(({ path, message }) => ({
          code: "custom" as const,
          path: [...path],
          message,
          input: value,
        })),
      );
      return z.NEVER;
    }),
  );
}

type Kinds = {
  /** Such as "a tool". */
  readonly what: string;
  /** The field that tells them apart. */
  readonly by?: string;
  readonly kinds: Readonly<Record<string, Kept>>;
  /** The kind of an object that does not say. */
  readonly fallback?: string;
  /** Of a kind that is not on the list. */
  readonly why: string;
};

/** An object of one of these kinds. */
export function oneOf({ what, by = "type", kinds, fallback, why }: Kinds): Kept {
  return chosen((value) => {
    if (!isObject(value)) return `must be ${what}: an object with "${by}".`;
    const kind = value[by] ?? fallback;
    const schema = typeof kind === "string" && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    const allowed = Object.keys(kinds).join(", ");
    return (
      schema ?? `is ${what} of the kind ${shown(kind)}, which is not passed on: ${why}. Allowed: ${allowed}.`
    );
  });
}

/** A text, or a list. */
export function textOrList(item: Kept): Kept {
  const list = z.array(item);
  return chosen((value) => (typeof value === "string" ? text : list));
}

/** Bytes in the URL itself. */
export const dataUrl = z
  .string()
  .check(z.refine((url) => /^data:[\w.+/-]{0,100}[;,]/i.test(url), `is not passed on: ${reasons.fetched}.`));

function shown(value: unknown): string {
  return value === undefined ? "(none)" : JSON.stringify(value).slice(0, 80);
}
