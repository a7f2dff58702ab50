// The store on PostgreSQL. One service process a schema for now: an advisory lock, held on a connection of its own.

import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Store } from "../core/ports/store.ts";
import { migrateToLatest } from "./migrate.ts";
import { queries } from "./queries.ts";
import type { Database } from "./tables.ts";

const MAX_CONNECTIONS = 10;
const MAX_TRIES = 5;
const INT8_OID = 20;
/** Serialization failure and deadlock: PostgreSQL undid the transaction so that it can be run again. */
const RETRYABLE_STATES = new Set(["40001", "40P01"]);

/** Another process serves from the same database and schema. */
export class DatabaseInUseError extends Error {
  readonly code = "database_in_use";
}

/**
 * Opens the store at `url` and brings its schema (the connection's `search_path`) up to date. Rejects with
 * DatabaseInUseError while another process holds the schema. `onLost` is called once if the hold is lost later.
 */
export async function openPostgresStore(options: {
  url: string;
  onLost: (cause: Error) => void;
}): Promise<Store> {
  const { url, onLost } = options;
  const lock = await lockSchema({ url, onLost });
  const pool = new pg.Pool({ connectionString: url, max: MAX_CONNECTIONS, types: { getTypeParser } });
  // A connection that breaks while idle is replaced by the pool; the query that meets a broken one rejects.
  pool.on("error", () => {});
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrateToLatest(db, { schema: lock.schema });
  } catch (cause) {
    await db.destroy();
    await lock.release();
    throw cause;
  }

  return {
    committed: queries(db, { rowLocks: true }),
    transact: async (work) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await db
            .transaction()
            .execute((transaction) => work(queries(transaction, { rowLocks: true })));
        } catch (cause) {
          if (tries >= MAX_TRIES || !isRetryable(cause)) throw cause;
        }
      }
    },
    ping: async () => {
      await pool.query("select 1");
    },
    close: async () => {
      await db.destroy();
      await lock.release();
    },
  };
}

async function lockSchema(options: {
  url: string;
  onLost: (cause: Error) => void;
}): Promise<{ schema: string; release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: options.url, keepAlive: true });
  let isReleased = false;
  client.on("error", (cause) => {
    if (!isReleased) options.onLost(cause);
  });
  await client.connect();
  const { rows } = await client.query<{ schema: string; locked: boolean }>(
    "select current_schema() as schema, pg_try_advisory_lock(hashtext('agent-service:' || current_schema())) as locked",
  );
  const row = rows[0];
  if (row === undefined || !row.locked) {
    isReleased = true;
    await client.end();
    throw new DatabaseInUseError(
      `Schema "${row?.schema ?? ""}" of the database is in use by another agent-service process. Stop that process, or give this one a schema of its own (search_path in DATABASE_URL).`,
    );
  }
  return {
    schema: row.schema,
    release: async () => {
      isReleased = true;
      await client.end();
    },
  };
}

function isRetryable(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && cause.code !== undefined && RETRYABLE_STATES.has(cause.code);
}

/** Our 64-bit columns hold milliseconds, counts and micro-USD: all safe integers. */
function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as "text");
}
