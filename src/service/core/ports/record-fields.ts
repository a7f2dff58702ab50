// Fields of a record that a request sets, without a list of its fields. Pure.
// Why: docs/decisions/130-a-row-is-defined-once.md

import { type CamelCase, camelCase } from "../../../base/name-cases.ts";

/** The fields of a body by their names in records. */
type FieldsOf<Body> = {
  readonly [Name in keyof Body as CamelCase<Name & string>]: Exclude<Body[Name], undefined>;
};

/** Refuses a field that the record has not, or has with another type. */
type SetOn<Body, Rec> = {
  readonly [Name in keyof Body]: CamelCase<Name & string> extends infer Field extends keyof Rec
    ? Rec[Field] | undefined
    : never;
};

/**
 * `fieldsOn<Agent>()(body)`: what the body names, as fields of the record, and nothing that it leaves out. A field of the body
 * that the record has not does not compile: the caller takes it out of the body first.
 */
export function fieldsOn<Rec extends object>() {
  return <Body extends SetOn<Body, Rec>>(body: Body): FieldsOf<Body> => {
    const named = Object.entries(body).filter(([, value]) => value !== undefined);
    // The loop renames as the type does.
    return Object.fromEntries(named.map(([name, value]) => [camelCase(name), value])) as FieldsOf<Body>;
  };
}
