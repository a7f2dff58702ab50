// A snapshot of the store on PostgreSQL: one transaction that sees one time, read by cursors on a connection of its own. It needs no
// tool of PostgreSQL's.

import type pg from "pg";
import { OperatorError } from "../../../base/operator-error.ts";
import type {
  Cell,
  DeletionHold,
  SnapshotRow,
  StoreSnapshot,
  TableShape,
} from "../../core/ports/store-snapshot.ts";
import { checkKnown } from "../migrate.ts";
import { BoundedClient, patientConfig } from "../postgres-connection.ts";
import { getTypeParser } from "../postgres-pipeline.ts";
import { untilConnected } from "../postgres-start.ts";
import { ownTables } from "./own-tables.ts";
import {
  blobsQuery,
  countByKey,
  endHoldStatement,
  holdStatement,
  identityQuery,
  migrationsQuery,
  namedBlob,
  rowsQuery,
  sealedQuery,
} from "./snapshot-queries.ts";

const WAIT_MS = 5_000;
/** Contents in rows are up to 64 KB each. */
const ROWS_AT_ONCE = 250;
/** Plans that the service's own connections are not to use, by which a whole table is read. */
const WHOLE_TABLES = "set local enable_seqscan = on; set local enable_hashjoin = on";

/** A connection for long statements. Rejects with an OperatorError where the database cannot be used. */
export async function connectPatiently(url: string): Promise<pg.Client> {
  return await untilConnected(
    url,
    async () => {
      const client = new BoundedClient({ ...patientConfig(url), types: { getTypeParser } });
      client.on("error", () => {});
      await client.connect();
      return client;
    },
    { waitMs: WAIT_MS },
  );
}

/** Changes nothing, the tables of an older version neither. Rejects with an OperatorError where there is no store, or a newer one. */
export async function openPostgresSnapshot(url: string): Promise<StoreSnapshot> {
  const client = await connectPatiently(url);
  try {
    await client.query(`begin isolation level repeatable read read only; ${WHOLE_TABLES}`);
    return await snapshotOn(client);
  } catch (cause) {
    await client.end();
    throw cause;
  }
}

/** Lets deletions of blobs wait until it is released, or has not been renewed for a while. */
export async function holdPostgresDeletions(url: string): Promise<DeletionHold> {
  const client = await connectPatiently(url);
  const names = (await readShapes(client)).map(({ name }) => name);
  const write = async (statement: string) => {
    if (names.includes("service_secrets")) await client.query(statement);
  };
  const renew = () => write(holdStatement("(extract(epoch from now()) * 1000)::bigint"));
  await renew();
  return {
    renew,
    release: async () => {
      await write(endHoldStatement).finally(() => client.end());
    },
  };
}

async function snapshotOn(client: pg.Client): Promise<StoreSnapshot> {
  const shapes = await readShapes(client);
  const names = shapes.map(({ name }) => name);
  if (!names.includes("kysely_migration")) {
    throw new OperatorError(
      "There is no store in the database at DATABASE_URL. Look at its name and its search_path.",
    );
  }
  const migrations = await texts(client, migrationsQuery);
  checkKnown(migrations);
  const [identity = null] = names.includes("service_secrets") ? await texts(client, identityQuery) : [];
  const sealed = sealedQuery(names);
  const blobs = blobsQuery(shapes);
  return {
    engine: "postgresql",
    migrations,
    tables: shapes.filter(({ name }) => ownTables.has(name)),
    identity,
    sealedBy: countByKey(sealed === null ? [] : await texts(client, sealed)),
    rows: (table) => rowsOf(client, rowsQuery(table)),
    blobs: async function* () {
      if (blobs === null) return;
      for await (const rows of rowsOf(client, blobs)) yield rows.map(namedBlob);
    },
    close: () => client.end(),
  };
}

/** The tables of the connection's own schema. */
export async function readShapes(client: pg.Client): Promise<readonly TableShape[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    select tables.tablename as name, array_agg(columns.attname::text order by columns.attnum) as columns
    from pg_tables as tables
    join pg_attribute as columns
      on columns.attrelid = (quote_ident(tables.schemaname) || '.' || quote_ident(tables.tablename))::regclass
      and columns.attnum > 0 and not columns.attisdropped
    where tables.schemaname = current_schema() group by tables.tablename order by tables.tablename`);
  return rows;
}

async function* rowsOf(client: pg.Client, query: string): AsyncGenerator<readonly SnapshotRow[]> {
  await client.query(`declare whole_table no scroll cursor for ${query}`);
  try {
    for (;;) {
      const { rows } = await client.query<Cell[]>({
        text: `fetch ${ROWS_AT_ONCE} from whole_table`,
        rowMode: "array",
      });
      if (rows.length > 0) yield rows;
      if (rows.length < ROWS_AT_ONCE) return;
    }
  } finally {
    await client.query("close whole_table").catch(() => {});
  }
}

async function texts(client: pg.Client, query: string): Promise<string[]> {
  const { rows } = await client.query<string[]>({ text: query, rowMode: "array" });
  return rows.map(([value]) => String(value));
}
