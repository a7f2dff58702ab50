// The fields of a route's answer that a tool gives of it: a client's model reads all of them. Pure.

import * as z from "zod/mini";

/** Some fields of an object: their schema, and how they are taken. */
export function part<Schema extends z.ZodMiniObject, const Name extends keyof Schema["shape"] & string>(
  { shape }: Schema,
  names: readonly Name[],
) {
  const picked = Object.fromEntries(names.map((name) => [name, shape[name]]));
  return {
    schema: z.object(picked as Pick<Schema["shape"], Name>),
    of: <Whole extends z.output<Schema>>(whole: Whole) =>
      taken(whole, names as readonly (Name & keyof Whole)[]),
  };
}

/** These fields of an object. One that is absent stays absent. */
export function taken<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name> {
  const all = names.filter((name) => whole[name] !== undefined).map((name) => [name, whole[name]]);
  return Object.fromEntries(all);
}

/** The items of a list as far as an answer has them, and how many more there are. */
export function cut<Item>(
  items: readonly Item[],
  limit: number,
): { readonly items: readonly Item[]; readonly omitted?: number } {
  const omitted = items.length - limit;
  return { items: items.slice(0, limit), ...(omitted > 0 ? { omitted } : {}) };
}

export const omittedSchema = z.optional(z.int());
export const nextCursorSchema = z.optional(z.string());

/** As a list's `next_cursor`: absent at the end. */
export function nextOf(nextCursor: string | null): { readonly next_cursor?: string } {
  return nextCursor === null || nextCursor === "" ? {} : { next_cursor: nextCursor };
}

/** A line for each item, or what to say without any. */
export function linesOf<Item>(items: readonly Item[], line: (item: Item) => string, none: string): string {
  return items.length === 0 ? none : items.map(line).join("\n");
}

type Without<Whole, Name extends PropertyKey> = Whole extends unknown ? Omit<Whole, Name> : never;

/** A union of objects without some of their fields: its schema, and how they are left out. */
export function without<Option extends z.ZodMiniObject, const Name extends string>(
  union: { readonly def: { readonly options: readonly Option[] } },
  names: readonly Name[],
) {
  const isKept = ([name]: [string, unknown]) => !(names as readonly string[]).includes(name);
  const kept = <Whole extends object>(whole: Whole) =>
    Object.fromEntries(Object.entries(whole).filter(isKept)) as Without<Whole, Name>;
  const schema = z.union(union.def.options.map(({ shape }) => z.object(kept(shape) as z.core.$ZodShape)));
  type Kept = Without<z.output<Option>, Name>;
  return { schema: schema as unknown as z.ZodMiniType<Kept, Kept>, of: kept };
}
