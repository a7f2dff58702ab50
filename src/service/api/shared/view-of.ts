// A record as the contract shows it, by the fields of the contract's schema. Pure.
// Why: docs/decisions/130-a-row-is-defined-once.md, docs/decisions/191-recipes-were-followed.md

import type * as z from "zod/mini";
import { type CamelCase, camelCase } from "../../../base/name-cases.ts";
import { isoTime } from "../../core/ports/problem.ts";

/** A time of a record is milliseconds, and on the wire a text. */
type Said<Name, Value> = Name extends `${string}_at` ? (Value extends number ? string : Value) : Value;
/** Null in a record is left out of a resource whose field may be absent. */
type OrAbsent<Value, Shown> = undefined extends Shown
  ? null extends Shown
    ? Value
    : Exclude<Value, null>
  : Value;

/** The fields that the record has under the same name, in a form that is shown as it is. */
type SameName<Resource, Rec> = {
  [Name in keyof Resource]-?: CamelCase<Name & string> extends infer Field extends keyof Rec
    ? [OrAbsent<Said<Name, Rec[Field]>, Resource[Name]>] extends [Resource[Name]]
      ? Name
      : never
    : never;
}[keyof Resource];

/** Every other field has to be given; one that is undefined is left out. One that has the same name may be given. */
type Given<Resource, Rec> = {
  readonly [Name in Exclude<keyof Resource, SameName<Resource, Rec>>]-?:
    | Resource[Name]
    | (undefined extends Resource[Name] ? undefined : never);
} & { readonly [Name in SameName<Resource, Rec>]?: Resource[Name] | undefined };

type View<Resource, Rec> = (
  record: Rec,
  ...given: Exclude<keyof Resource, SameName<Resource, Rec>> extends never
    ? [given?: Given<Resource, Rec>]
    : [given: Given<Resource, Rec>]
) => Resource;

/** The fields of the record that the resource has not by their name, less those that are named. */
type Unshown<Resource, Rec, Named> = Exclude<keyof Rec, CamelCase<keyof Resource & string> | Named>;

/** Refuses a schema that lacks a field of the record. */
type ShowsAll<Resource, Rec, Named> = [Unshown<Resource, Rec, Named>] extends [never]
  ? unknown
  : { readonly unshown: Unshown<Resource, Rec, Named> };

/**
 * `viewOf<Worker, "accountId">()(workerSchema)` shows workers. A field of the schema is the record's of the same name (`created_at` is
 * `createdAt`, as a time), or is given beside it: one that is neither does not compile. Nor does a field of the record that the schema has
 * not, unless it is named: such a field is not shown, or under another name.
 */
export function viewOf<Rec extends object, Named extends keyof Rec = never>() {
  return <Schema extends z.ZodMiniObject>(
    schema: Schema & ShowsAll<z.output<Schema>, Rec, Named>,
  ): View<z.output<Schema>, Rec> => {
    let fields: readonly ShownField[] | null = null;
    const view = (record: Shape, given: Shape = {}): Shape => {
      fields ??= fieldsOf(schema);
      const shown: Record<string, unknown> = {};
      for (const { name, field, mayBeNull, isTime } of fields) {
        const isGiven = Object.hasOwn(given, name);
        const value = isGiven ? given[name] : record[field];
        if (value === undefined || (value === null && !isGiven && !mayBeNull)) continue;
        shown[name] = isTime && typeof value === "number" ? isoTime(value) : value;
      }
      return shown;
    };
    // The types of `View` say what the compiler cannot follow through the loop.
    return view as never;
  };
}

type Shape = Readonly<Record<string, unknown>>;
type ShownField = {
  readonly name: string;
  readonly field: string;
  readonly mayBeNull: boolean;
  readonly isTime: boolean;
};

/** Made at the first use. */
function fieldsOf({ shape }: z.ZodMiniObject): readonly ShownField[] {
  return Object.entries(shape).map(([name, schema]) => ({
    name,
    field: camelCase(name),
    mayBeNull: (schema as z.ZodMiniType).safeParse(null).success,
    isTime: name.endsWith("_at"),
  }));
}
