// Opens a file with SQLite.

import type { DatabaseSync } from "node:sqlite";

export function openDatabase(path: string): DatabaseSync {
  // Loaded by name at run time, so that on an older Node the command can say which version it needs.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  return new DatabaseSync(path, { timeout: 5_000 });
}
