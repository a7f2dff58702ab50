// Queries of a snapshot, for either database. Texts alone.

import { BACKUP_HOLD } from "../../core/blobs/held-deletions.ts";
import { STORE_IDENTITY } from "../../core/blobs/store-identity.ts";
import type { NamedBlob, SnapshotRow, TableShape } from "../../core/ports/store-snapshot.ts";
import { JOURNAL_BLOBS } from "../../core/runs/archives/journal-archive.ts";

/** Tables of the migrations: a restore makes them. */
export const MIGRATION_TABLES: readonly string[] = ["kysely_migration", "kysely_migration_lock"];

export const identityQuery = `select value from service_secrets where name = '${STORE_IDENTITY}'`;
export const migrationsQuery = "select name from kysely_migration order by name";

/** Every sealed value. Null where an older store has none of their tables. */
export function sealedQuery(tables: readonly string[]): string | null {
  const queries = ["run_secrets", "repository_accesses", "identity_keys", "mcp_connections"]
    .filter((name) => tables.includes(name))
    .map((name) => `select sealed from ${name} where sealed is not null`);
  return queries.length === 0 ? null : queries.join(" union all ");
}

/** Blobs with their hashes, and when they were found lost. An older store has fewer tables and columns. */
export function blobsQuery(shapes: readonly TableShape[]): string | null {
  const tables = shapes.map(({ name }) => name);
  if (!tables.includes("blobs")) return null;
  const hashes = [
    ...(tables.includes("workspace_objects")
      ? ["select blob_key as named, sha256 from workspace_objects where blob_key is not null"]
      : []),
    ...(tables.includes("packs")
      ? [
          "select pack_key, pack_sha256 from packs where tip is not null",
          "select index_key, index_sha256 from packs where tip is not null",
        ]
      : []),
    ...["run_archives", "journal_archives"]
      .filter((name) => tables.includes(name))
      .map((name) => `select blob_key, sha256 from ${name}`),
  ];
  const [first = "select '' as named, '' as sha256", ...others] = hashes;
  const named = [first, ...others].join(" union all ");
  const hasMarks = shapes.some(({ name, columns }) => name === "blobs" && columns.includes("lost_at"));
  const lostAt = hasMarks ? "blobs.lost_at" : "null as lost_at";
  return `select blobs.key, blobs.bytes, hashes.sha256, ${lostAt} from blobs
    left join (${named}) as hashes on hashes.named = blobs.key where blobs.state = 'kept'`;
}

/** A name of the catalogue, quoted. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The count of sealed values by key: their form names it. */
export function countByKey(sealed: readonly string[]): { keyId: string; values: number }[] {
  const counts = new Map<string, number>();
  for (const text of sealed) {
    const keyId = text.split(".")[1] ?? "";
    counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  }
  return [...counts].map(([keyId, values]) => ({ keyId, values }));
}

/** What a restored service must not go on with: the calls that its runs have made since the backup would be made again. Nodes are others then. */
const LEFT_OUT: readonly string[] = ["run_journal", "journal_archives", "released_runs", "nodes"];

/** All rows of a table, without what the backup itself has written. None of journals. */
export function rowsQuery({ name, columns }: TableShape): string {
  const rows = `select ${columns.map(quoted).join(", ")} from ${quoted(name)}`;
  if (LEFT_OUT.includes(name)) return `${rows} where 1 = 0`;
  if (name === "blobs") return `${rows} where key not like '${JOURNAL_BLOBS}'`;
  return name === "service_secrets" ? `${rows} where name <> '${BACKUP_HOLD}'` : rows;
}

/** `now`: the time of the database in milliseconds, in its language. */
export function holdStatement(now: string): string {
  return `insert into service_secrets (name, value, created_at) values ('${BACKUP_HOLD}', '', ${now})
    on conflict (name) do update set created_at = excluded.created_at`;
}

export const endHoldStatement = `delete from service_secrets where name = '${BACKUP_HOLD}'`;

/** A row of `blobsQuery`. */
export function namedBlob([key, bytes, sha256, lostAt]: SnapshotRow): NamedBlob {
  return {
    key: String(key),
    bytes: Number(bytes),
    sha256: typeof sha256 === "string" ? sha256 : null,
    isMarkedLost: lostAt !== null,
  };
}
