// Entries of copies, in SQL: files that were written since their bases.

import { type Kysely, sql } from "kysely";
import type { CopyEntry } from "../../core/workspaces/copies/copy-entry.ts";
import type { CopyEntryStore, EntryRange, EntryWrite } from "../../core/workspaces/copies/entries-port.ts";
import { fileModes } from "../../core/workspaces/objects/tree-object.ts";
import { foldersAbove } from "../../core/workspaces/paths/workspace-path.ts";
import type { Connection } from "../connection.ts";
import { type KeptQueryRunner, keepQuery } from "../kept-query.ts";
import { nullableGroup, row, type TableOf } from "../row.ts";
import { integer, oneOf, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

/** Databases bind a bounded number of values. */
const ROWS_A_STATEMENT = 500;
const RANGES_A_STATEMENT = 50;
/** No path has so many characters of the last code point in one segment. */
const AFTER_ALL = "\u{10FFFF}".repeat(64);

/** Without its file: deleted. */
export const entryRow = row<CopyEntry>("copy_entries")(
  {
    path: text,
    file: nullableGroup({ oid: text, mode: oneOf(fileModes), size: integer }),
    changedAt: integer,
  },
  { copyId: text },
);

type EntriesTable = TableOf<typeof entryRow>;

declare module "../tables.ts" {
  interface Database {
    copy_entries: TableOf<typeof entryRow>;
  }
}

export class SqlCopyEntries implements CopyEntryStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #hasRowLocks: boolean;

  constructor({ db, ask, hasRowLocks }: Connection) {
    this.#db = db;
    this.#ask = ask;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(entry: { copyId: string; path: string }): Promise<CopyEntry | null> {
    const [row] = await this.#ask(entryAtPath, entry);
    return row === undefined ? null : entryRow.read(row);
  }

  async findAll({ copyId, paths }: { copyId: string; paths: readonly string[] }) {
    const found: CopyEntry[] = [];
    for (const part of partsOf(paths)) {
      const rows = await this.#db
        .selectFrom("copy_entries")
        .selectAll()
        .where("copy_id", "=", copyId)
        .where("path", "in", part)
        .execute();
      found.push(...rows.map(entryRow.read));
    }
    return found;
  }

  async list({ copyId, from, before, limit }: EntryRange): Promise<readonly CopyEntry[]> {
    const range = { copyId, from: from ?? "", before: before ?? AFTER_ALL, limit };
    return (await this.#ask(entriesInRange, range)).map(entryRow.read);
  }

  async listAll(copyId: string): Promise<readonly CopyEntry[]> {
    return (
      await this.#db.selectFrom("copy_entries").selectAll().where("copy_id", "=", copyId).execute()
    ).map(entryRow.read);
  }

  async replace({ copyId, entry, expected }: EntryWrite): Promise<boolean> {
    const row = entryRow.write(entry, { copyId });
    const { oid: was_oid, mode: was_mode } = expected ?? { oid: null, mode: null };
    const values = { ...row, was_oid, was_mode };
    return (await this.#ask(expected === null ? updateDeleted : updateFile, values)).length > 0;
  }

  async put({ copyId, entries }: { copyId: string; entries: readonly CopyEntry[] }): Promise<void> {
    for (const part of partsOf(entries)) {
      await this.#db
        .insertInto("copy_entries")
        .values(part.map((entry) => entryRow.write(entry, { copyId })))
        .onConflict((conflict) =>
          conflict.columns(["copy_id", "path"]).doUpdateSet(entryRow.replacing("copy_id", "path")),
        )
        .execute();
    }
  }

  async remove({ copyId, paths }: { copyId: string; paths: readonly string[] }): Promise<void> {
    for (const part of partsOf(paths)) {
      await this.#db
        .deleteFrom("copy_entries")
        .where("copy_id", "=", copyId)
        .where("path", "in", part)
        .execute();
    }
  }

  async removeSame({ copyId, entries }: { copyId: string; entries: readonly CopyEntry[] }): Promise<void> {
    if (entries.length === 0) return;
    const saved = new Map(entries.map(({ path, file }) => [path, stateOf(file)]));
    const all = await this.listAll(copyId);
    const same = all.filter(({ path, file }) => saved.get(path) === stateOf(file));
    if (same.length < all.length) {
      await this.remove({ copyId, paths: same.map(({ path }) => path) });
      return;
    }
    await this.#db.deleteFrom("copy_entries").where("copy_id", "=", copyId).execute();
  }

  async clear({ copyId, limit }: { copyId: string; limit: number }): Promise<number> {
    const { numAffectedRows } = await sql`
      delete from copy_entries where copy_id = ${copyId}
      and path in (select path from copy_entries where copy_id = ${copyId} order by path limit ${limit})
    `.execute(this.#db);
    return Number(numAffectedRows ?? 0);
  }

  async findWritten({ copyId, folders }: { copyId: string; folders: readonly string[] }) {
    const found = new Set<string>();
    for (const part of partsOf(folders, RANGES_A_STATEMENT)) {
      const first = part.map(
        (folder) => sql`select * from (
          select ${folder} as folder from copy_entries
          where copy_id = ${copyId} and path >= ${`${folder}/`} and path < ${`${folder}0`} and oid is not null
          limit 1
        ) as one`,
      );
      const { rows } = await sql<{ folder: string }>`${sql.join(first, sql` union all `)}`.execute(this.#db);
      for (const { folder } of rows) found.add(folder);
    }
    return found;
  }

  async insert({ copyId, entries }: { copyId: string; entries: readonly CopyEntry[] }) {
    const [only] = entries;
    if (only !== undefined && entries.length === 1) {
      return new Set(
        (await this.#ask(insertEntry, entryRow.write(only, { copyId }))).map(({ path }) => path),
      );
    }
    const made = new Set<string>();
    // In one order: two transactions never wait for each other in a circle.
    for (const part of partsOf(entries.toSorted(byPath))) {
      const rows = await this.#db
        .insertInto("copy_entries")
        .values(part.map((entry) => entryRow.write(entry, { copyId })))
        .onConflict((conflict) => conflict.columns(["copy_id", "path"]).doNothing())
        .returning("path")
        .execute();
      for (const { path } of rows) made.add(path);
    }
    return made;
  }

  async claimPaths({ copyId, paths }: { copyId: string; paths: readonly string[] }): Promise<void> {
    // SQLite has one writer.
    if (!this.#hasRowLocks) return;
    const own = new Set(paths);
    const above = new Set(paths.flatMap((path) => [...foldersAbove(path)]));
    // Everybody in one order, so that nobody waits in a circle. Those above are shared by all that make files below them.
    const places = [...new Set([...own, ...above])].sort();
    for (const part of partsOf(places)) {
      const claims = part.map((place) => {
        const key = sql`hashtextextended(${`${copyId} ${place}`}, 0)`;
        return own.has(place)
          ? sql`pg_advisory_xact_lock(${key})`
          : sql`pg_advisory_xact_lock_shared(${key})`;
      });
      await sql`select ${sql.join(claims)}`.execute(this.#db);
    }
  }
}

const entryAtPath = keepQuery<{ copyId: string; path: string }>(
  "copyId",
  "path",
)((db, { copyId, path }) =>
  db.selectFrom("copy_entries").selectAll().where("copy_id", "=", copyId).where("path", "=", path),
);

const entriesInRange = keepQuery<{ copyId: string; from: string; before: string; limit: number }>(
  "copyId",
  "from",
  "before",
  "limit",
)((db, { copyId, from, before, limit }) =>
  db
    .selectFrom("copy_entries")
    .selectAll()
    .where("copy_id", "=", copyId)
    .where("path", ">=", from)
    .where("path", "<", before)
    .orderBy("path")
    .limit(limit),
);

const insertEntry = keepQuery<EntriesTable>(...entryRow.columns)((db, row) =>
  db
    .insertInto("copy_entries")
    .values(row)
    .onConflict((conflict) => conflict.columns(["copy_id", "path"]).doNothing())
    .returning("path"),
);

type Update = EntriesTable & { readonly was_oid: string | null; readonly was_mode: string | null };
const keepUpdate = keepQuery<Update>(...entryRow.columns, "was_oid", "was_mode");

const updateFile = keepUpdate((db, { copy_id, path, was_oid, was_mode, ...values }) =>
  db
    .updateTable("copy_entries")
    .set(values)
    .where("copy_id", "=", copy_id)
    .where("path", "=", path)
    .where("oid", "=", was_oid)
    .where("mode", "=", was_mode)
    .returning("path"),
);

const updateDeleted = keepUpdate((db, { copy_id, path, was_oid: _oid, was_mode: _mode, ...values }) =>
  db
    .updateTable("copy_entries")
    .set(values)
    .where("copy_id", "=", copy_id)
    .where("path", "=", path)
    .where("oid", "is", null)
    .returning("path"),
);

function stateOf(file: CopyEntry["file"]): string {
  return file === null ? "" : `${file.mode} ${file.oid}`;
}

function byPath(a: CopyEntry, b: CopyEntry): number {
  return a.path < b.path ? -1 : 1;
}

function partsOf<Item>(items: readonly Item[], size: number = ROWS_A_STATEMENT): Item[][] {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
  return parts;
}
