// Kinds of columns: each has one value, and says how the two databases store it. Pure.

import type { Cell } from "../core/ports/store-snapshot.ts";

/** Column `Stored` of a field `Value`. Its name is the field's, unless `named` says another. */
export type Column<Value, Stored extends Cell = Cell> = {
  readonly kind: "text" | "integer" | "bytes";
  readonly isNullable: boolean;
  /** Whether a record is without the field where its value is undefined. */
  readonly isOptional?: true;
  /** `column` is named in errors. Absent: the value is what is stored. */
  read?(stored: Stored, column: string): Value;
  readonly write?: (value: Value) => Stored;
};

export type Named<Name extends string> = { readonly name: Name };

/** Times are milliseconds, money is micro-USD: integers of 64 bits. */
export const integer: Column<number, number> = { kind: "integer", isNullable: false };
export const text: Column<string, string> = { kind: "text", isNullable: false };
export const bytes: Column<Uint8Array, Uint8Array> = { kind: "bytes", isNullable: false };

/** 0 or 1: SQLite has no booleans. */
export const flag: Column<boolean, number> = {
  kind: "integer",
  isNullable: false,
  read: (stored) => stored === 1,
  write: (value) => (value ? 1 : 0),
};

/** One of `allowed`. Throws on a value that no version of this service wrote. */
export function oneOf<const Value extends string>(allowed: readonly Value[]): Column<Value, string> {
  const values = new Map<string, Value>(allowed.map((value) => [value, value]));
  return {
    kind: "text",
    isNullable: false,
    read: (stored, column) => {
      const value = values.get(stored);
      if (value !== undefined) return value;
      throw new TypeError(`Column ${column} must be one of ${allowed.join(", ")}, holds "${stored}".`);
    },
    write: (value) => value,
  };
}

/** JSON that `parse` reads, and checks. */
export function json<Value>(parse: (text: string) => Value): Column<Value, string> {
  return { kind: "text", isNullable: false, read: parse, write: (value) => JSON.stringify(value) };
}

/** `null` where the value is. */
export function nullable<Value, Stored extends Cell>(
  column: Column<Value, Stored>,
): Column<Value | null, Stored | null> {
  return orNull<Value, Stored, null>(column, null);
}

/** `null` where a record is without the field. */
export function optional<Value, Stored extends Cell>(
  column: Column<Value, Stored>,
): Column<Value | undefined, Stored | null> {
  return { ...orNull<Value, Stored, undefined>(column, undefined), isOptional: true };
}

function orNull<Value, Stored extends Cell, Absent extends null | undefined>(
  { kind, read, write }: Column<Value, Stored>,
  absent: Absent,
): Column<Value | Absent, Stored | null> {
  if (read === undefined && write === undefined && absent === null) return { kind, isNullable: true };
  return {
    kind,
    isNullable: true,
    read: (stored, column) => {
      if (stored === null) return absent;
      // Without `read` a value is what is stored.
      return read === undefined ? (stored as Cell as Value) : read(stored, column);
    },
    write: (value) => {
      if (value === null || value === undefined) return null;
      return write === undefined ? (value as Cell as Stored) : write(value);
    },
  };
}

/** The same under a name of its own. */
export function named<Name extends string, Value, Stored extends Cell>(
  name: Name,
  column: Column<Value, Stored>,
): Column<Value, Stored> & Named<Name> {
  return { ...column, name };
}
