// A table's row, defined once: the columns that hold the fields of a record, and their forms. The table's type, reading, writing
// and changes follow from it. Pure.
// Why: docs/decisions/130-a-row-is-defined-once.md

import { type RawBuilder, sql } from "kysely";
import { type SnakeCase, snakeCase } from "../../base/name-cases.ts";
import { once } from "../../base/once.ts";
import type { Cell } from "../core/ports/store-snapshot.ts";
import type { Column, Named } from "./row-columns.ts";

/** One column of a table, as migrations make it. */
export type ColumnOfTable = Pick<Column<unknown>, "kind" | "isNullable"> & { readonly name: string };

/** A field that is itself a record, in columns `Table` of the same row. */
type Group<Value, Table = unknown> = {
  readonly fields: Fields;
  /** Whether all of its columns are null where the field is. */
  readonly isNullable: boolean;
  /** Only its type is there. */
  readonly types?: { readonly field: (value: Value) => Value; readonly table: Table };
};

type Fields = Readonly<
  Record<string, Pick<Column<unknown>, "kind" | "isNullable"> | Pick<Group<never>, "fields">>
>;

/** Each field of a record with its column, or its group. One that a record may lack has an optional column. */
type FieldsOf<Rec> = {
  readonly [Field in keyof Rec & string]-?: Column<Rec[Field]> | Group<Rec[Field]>;
};

type ColumnsOf<Given> = {
  -readonly [Field in keyof Given & string as Given[Field] extends Pick<Group<never>, "fields">
    ? never
    : Given[Field] extends Named<infer Name>
      ? Name
      : SnakeCase<Field>]: Given[Field] extends Column<infer _Value, infer Stored> ? Stored : never;
};

type GroupsOf<Given> = AllOf<
  {
    [Field in keyof Given]: Given[Field] extends Group<infer _Value, infer Table> ? Table : never;
  }[keyof Given]
>;

type TableOfFields<Given> = Flat<ColumnsOf<Given> & GroupsOf<Given>>;

type ValuesOf<Given> = {
  readonly [Field in keyof Given]: Given[Field] extends Column<infer Value, infer _Stored>
    ? Value
    : Given[Field] extends Group<infer Value, infer _Table>
      ? Value
      : never;
};

type Flat<Type> = { [Name in keyof Type]: Type[Name] };
type OrNull<Type> = { [Name in keyof Type]: Type[Name] | null };
type AllOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type NothingBeside<Given, Allowed> = { readonly [Name in Exclude<keyof Given, keyof Allowed>]: never };

type ChangeOf<Change, Rec> = {
  readonly [Name in keyof Change]: Name extends keyof Rec ? Rec[Name] | undefined : never;
};

export type Row<Rec, Table, Own> = {
  readonly table: string;
  /** The names of all columns. */
  readonly columns: readonly (keyof Table & string)[];
  readonly columnsOfTable: readonly ColumnOfTable[];
  readonly read: (row: Table) => Rec;
  /** One field of a row that was not read whole. */
  readonly readField: <Field extends keyof Rec & string>(field: Field, stored: Cell) => Rec[Field];
  /** Every column. `own` has the fields that no record has. */
  readonly write: (record: Rec, ...own: keyof Own extends never ? [] : [own: Own]) => Table;
  /** The columns of the fields that are in `change`. */
  readonly change: <Change extends ChangeOf<Change, Rec>>(change: Change) => Partial<Table>;
  /** For a write in the place of a row with the same `keys`: all other columns as they would have been inserted. */
  readonly replacing: (...keys: readonly (keyof Table & string)[]) => {
    readonly [Name in keyof Table]?: RawBuilder<Table[Name]>;
  };
};

/** The table's type, as Kysely has it. */
export type TableOf<Given> = Given extends Row<infer _Rec, infer Table, infer _Own> ? Table : never;

/**
 * A column for each field of `Rec`: one that is missing, foreign, or of another type does not compile. `own` are fields that the
 * store has for itself.
 */
type DefineRow<Rec> = <Given extends FieldsOf<Rec>, Own extends Fields = Record<never, never>>(
  fields: Given & NothingBeside<Given, Rec>,
  own?: Own,
) => Row<Rec, TableOfFields<Given & Own>, ValuesOf<Own>>;

/** A field on its way to its column and back. */
type Part = ColumnOfTable & {
  readonly field: string;
  readonly isOptional: boolean;
  /** `runs.status` */
  readonly path: string;
  readonly read: ((stored: unknown, path: string) => unknown) | null;
  readonly write: ((value: unknown) => unknown) | null;
};
type Shape = Record<string, unknown>;
type Side = {
  readonly parts: readonly Part[];
  readonly groups: readonly (Side & { readonly field: string; readonly isNullable: boolean })[];
};

/** `row<Agent>("agents")({ id: text, … })` */
export function row<Rec extends object>(table: string): DefineRow<Rec> {
  return (fields, own) => {
    const side = sideOf(table, fields);
    const ownSide = sideOf(table, own ?? {});
    const all = { parts: [...side.parts, ...ownSide.parts], groups: [...side.groups, ...ownSide.groups] };
    const columnsOfTable = partsOf(all).map(({ name, kind, isNullable }) => ({ name, kind, isNullable }));
    const write = writerOf(all);
    const partOf = new Map(side.parts.map((part) => [part.field, part]));
    // The types of `DefineRow` say of these what the compiler cannot follow through the loops.
    return {
      table,
      columns: columnsOfTable.map(({ name }) => name),
      columnsOfTable,
      read: readerOf(side),
      readField: (field: string, stored: unknown) => {
        const part = partOf.get(field);
        if (part === undefined) throw new TypeError(`Field ${table}.${field} has no column of its own.`);
        return part.read === null ? stored : part.read(stored, part.path);
      },
      write: own === undefined ? write : (record: Shape, rest: Shape) => write({ ...record, ...rest }),
      change: changerOf(table, side),
      replacing: (...keys: readonly string[]) =>
        Object.fromEntries(
          columnsOfTable
            .filter(({ name }) => !keys.includes(name))
            .map(({ name }) => [name, sql.ref(`excluded.${name}`)]),
        ),
    } as never;
  };
}

/** Fields of a record that are a record themselves. Their columns have names of their own where they need them. */
export function group<Given extends Fields>(fields: Given): Group<ValuesOf<Given>, TableOfFields<Given>> {
  return { fields, isNullable: false };
}

/** The same where the record may be null: it is where one of its columns is. */
export function nullableGroup<Given extends Fields>(
  fields: Given,
): Group<ValuesOf<Given> | null, OrNull<TableOfFields<Given>>> {
  return { fields, isNullable: true };
}

function sideOf(table: string, fields: object, isNullable = false): Side {
  const entries = Object.entries(fields as Readonly<Record<string, Column<unknown> | Group<unknown>>>);
  const parts: Part[] = [];
  const groups: Side["groups"][number][] = [];
  for (const [field, given] of entries) {
    if ("fields" in given) {
      const { isNullable } = given;
      groups.push({ field, isNullable, ...sideOf(table, given.fields, isNullable) });
      continue;
    }
    const { kind, read = null, write = null, isOptional = false } = given;
    const name = nameOf(field, given);
    parts.push({
      field,
      isOptional,
      name,
      kind,
      isNullable: isNullable || given.isNullable,
      path: `${table}.${name}`,
      read: read as Part["read"],
      write: write as Part["write"],
    });
  }
  return { parts, groups };
}

function nameOf(field: string, column: Column<unknown>): string {
  return "name" in column && typeof column.name === "string" ? column.name : snakeCase(field);
}

function partsOf({ parts, groups }: Side): Part[] {
  return [...parts, ...groups.flatMap(partsOf)];
}

/** Made once a definition: a row is read by one loop, into an object that has its shape from the start. */
function readerOf({ parts, groups }: Side): (row: Shape) => Shape {
  // At the first use: a service has over a hundred shapes, and its start needs few.
  const shapeOnce = once(() =>
    shapeOf(parts.filter(({ isOptional }) => !isOptional).map(({ field }) => field)),
  );
  const records = groups.map((one) => ({ field: one.field, read: groupReaderOf(one) }));
  return (row) => {
    const record = { ...shapeOnce() };
    for (const { field, isOptional, name, path, read } of parts) {
      const stored = row[name];
      const value = read === null ? stored : read(stored, path);
      if (!isOptional || value !== undefined) record[field] = value;
    }
    for (const { field, read } of records) record[field] = read(row);
    return record;
  };
}

function groupReaderOf(side: Side["groups"][number]): (row: Shape) => Shape | null {
  const read = readerOf(side);
  if (!side.isNullable) return read;
  const names = partsOf(side).map(({ name }) => name);
  return (row) => (names.some((name) => row[name] === null) ? null : read(row));
}

function writerOf({ parts, groups }: Side): (record: Shape) => Shape {
  const shapeOnce = once(() => shapeOf(parts.map(({ name }) => name)));
  const records = groups.map(({ field, ...side }) => ({
    field,
    write: writerOf(side),
    nulls: nullsOf(side),
  }));
  return (record) => {
    const row = { ...shapeOnce() };
    for (const { field, name, write } of parts) {
      const value = record[field];
      row[name] = write === null ? value : write(value);
    }
    for (const { field, write, nulls } of records) {
      const value = record[field];
      Object.assign(row, value === null ? nulls : write(value as Shape));
    }
    return row;
  };
}

/**
 * An object with these properties, to be copied. V8 copies one that `JSON.parse` has made at once, and one that was filled by a loop
 * fifty times as slowly. Each property has had values of every type, so that no copy changes its layout when it is filled.
 */
function shapeOf(names: readonly string[]): Shape {
  for (const value of [0.5, ""]) JSON.parse(JSON.stringify(allAs(names, value)));
  return JSON.parse(JSON.stringify(allAs(names, null)));
}

function allAs(names: readonly string[], value: unknown): Shape {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function nullsOf(side: Side): Shape {
  return allAs(
    partsOf(side).map(({ name }) => name),
    null,
  );
}

function changerOf(table: string, { parts, groups }: Side): (change: Shape) => Shape {
  const byField = new Map<string, (value: Shape) => Shape>();
  for (const part of parts) byField.set(part.field, writerOf({ parts: [part], groups: [] }));
  for (const one of groups) byField.set(one.field, writerOf({ parts: [], groups: [one] }));
  return (change) => {
    const row: Shape = {};
    for (const field of Object.keys(change)) {
      if (change[field] === undefined) continue;
      const write = byField.get(field);
      if (write === undefined) throw new TypeError(`Table ${table} has no column for "${field}".`);
      Object.assign(row, write(change));
    }
    return row;
  };
}
