// Columns in the text of a PostgreSQL statement: those of rows that it gets as JSON, and those of an insert. Pure.

import type { ColumnOfTable } from "./row.ts";

export const types = { text: "text", integer: "bigint", bytes: "bytea" } as const;

/** Columns as a statement says them of rows that it gets as JSON. */
export function typed(columns: readonly ColumnOfTable[]): string {
  return columns.map(({ name, kind }) => `${name} ${types[kind]}`).join(", ");
}

/** The columns of an insert, and an expression for each: one that is left out does not compile. */
export function insertOf<Table>(values: Readonly<Record<keyof Table & string, string>>) {
  const [columns, expressions] = [Object.keys(values), Object.values(values)];
  const replaced = columns.map((name) => `${name} = excluded.${name}`).join(", ");
  return { columns: columns.join(", "), values: expressions.join(", "), replaced };
}
