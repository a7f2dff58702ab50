// Declares tests once for each store: those of what is stored. Where the machine lacks a store, its tests are skipped.
// Why: docs/decisions/193-postgresql-where-sql-differs.md

import { describe } from "vitest";
import { type StoreKind, storeKinds } from "./stores.ts";

/** `tests` is called once a store, in a suite that has the store's name and what it needs. */
export function onEveryStore(tests: (kind: StoreKind) => void): void {
  for (const kind of storeKinds) describe(kind.name, { tags: [...kind.tags] }, () => tests(kind));
}
