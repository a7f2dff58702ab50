// The store on PostgreSQL, which any number of nodes share. Survives lost and silent connections and a database that is
// unavailable for a few seconds.

import { Kysely, sql } from "kysely";
import { type Clock, systemClock } from "../../base/clock.ts";
import { StorageFullError } from "../core/ports/storage-full.ts";
import type { Store } from "../core/ports/store.ts";
import { StoreUnavailableError } from "../core/ports/store-unavailable.ts";
import { ConnectionSlots } from "./connection-slots.ts";
import { askThrough, KeptTexts } from "./kept-query.ts";
import { oneStatementWrites, type PostgresConnection } from "./one-statement-writes.ts";
import { OwnSchemaDialect } from "./postgres-dialect.ts";
import type { Send } from "./postgres-pipeline.ts";
import { MAX_CONNECTIONS, PostgresPool } from "./postgres-pool.ts";
import { askTogether } from "./postgres-reads.ts";
import { PostgresRetries, repeatingReads } from "./postgres-retries.ts";
import { migrateWhereNeeded, untilConnected, urlError, type Waiting } from "./postgres-start.ts";
import { StoreQueries } from "./queries.ts";
import { alone, type SendIn, together } from "./set-statement.ts";
import { StorageState, storageErrorOf } from "./storage-state.ts";
import type { Database } from "./tables.ts";

export { openPostgresLink } from "./postgres-link.ts";

/** Some connections are left to readers, and some to transactions that do not wait for the same locks. */
const SLOTS = { all: MAX_CONNECTIONS - 2, lane: 4, maxWaiting: 1_000, maxWaitMs: 5_000 };
const PING_MS = 3_000;
const WAIT_MS = 5_000;

export type PostgresStoreOptions = Partial<Waiting> & {
  readonly url: string;
  /** A test's: what it has moved on by is added to the database's time. Default: nothing. */
  readonly clock?: Pick<Clock, "monotonic"> | undefined;
};

/**
 * Opens the store at `url` and brings its schema (the connection's `search_path`) up to date, one node at a time.
 * Rejects with an OperatorError when the database cannot be used, or not within `waitMs`, and when its schema is newer
 * than this version.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, waitMs = WAIT_MS, onWait, signal, clock } = options;
  const pool = openPool(url);
  const retries = new PostgresRetries();
  const db = new Kysely<Database>({
    dialect: new OwnSchemaDialect({
      pool: { connect: () => retries.connected(() => pool.connect()), end: () => pool.end() },
    }),
  });
  try {
    (await untilConnected(url, () => pool.connect(), { waitMs, onWait, signal })).release();
    await migrateWhereNeeded(db, url);
  } catch (cause) {
    await pool.end();
    throw cause;
  }

  const texts = new KeptTexts(db);
  const send: Send = async (statements) => {
    const client = await retries.connected(() => pool.connect());
    try {
      return await client.send(statements);
    } finally {
      client.release();
    }
  };
  const slots = new ConnectionSlots(SLOTS);
  const sendIn: SendIn = (lane) =>
    lane === null ? send : (statements) => slots.use(lane, () => send(statements));
  const shared: PostgresConnection = {
    db,
    ask: askTogether({ db, texts, send }),
    together: together(sendIn),
    hasRowLocks: true,
    leaseNow: () => databaseTime(db, clock),
  };
  const direct = new StoreQueries(shared, oneStatementWrites);
  const storage = new StorageState();
  return {
    committed: repeatingReads(direct, retries),
    transact: (work, { isOneWrite = false, lane = null } = {}) =>
      storage.watch(() => {
        if (isOneWrite) {
          return retries.again(async (attempt) => {
            // The statement commits itself: after a lost connection it is unknown whether it did.
            attempt.isRepeatable = false;
            return await work(direct);
          });
        }
        return slots.use(lane, () =>
          retries.again(async (attempt) =>
            db.transaction().execute(async (transaction) => {
              const value = await work(
                new StoreQueries(ownConnection(transaction, { texts, clock }), oneStatementWrites),
              );
              // From here on it is unknown whether a transaction on a lost connection was committed.
              attempt.isRepeatable = false;
              return value;
            }),
          ),
        );
      }),
    ping: async () => {
      await within(PING_MS, ping(pool));
      await storage.check(() => within(PING_MS, probeRoom(db)));
    },
    close: async () => {
      retries.isClosed = true;
      await pool.end();
    },
  };
}

/** Writes where the tables lie, and takes it back. A database that allows no temporary tables passes for one with room. */
async function probeRoom(db: Kysely<Database>): Promise<void> {
  const probe = db.transaction().execute(async (transaction) => {
    await sql`create temporary table storage_probe (filling text) on commit drop`.execute(transaction);
    await sql`insert into storage_probe select repeat('x', 1000) from generate_series(1, 256)`.execute(
      transaction,
    );
  });
  await probe.catch((cause: unknown) => {
    const error = storageErrorOf(cause);
    if (error instanceof StorageFullError) throw error;
  });
}

function openPool(url: string): PostgresPool {
  try {
    return new PostgresPool(url);
  } catch (cause) {
    throw urlError(cause);
  }
}

/** Of one transaction. */
function ownConnection(
  db: Kysely<Database>,
  { texts, clock }: { texts: KeptTexts } & Pick<PostgresStoreOptions, "clock">,
): PostgresConnection {
  return {
    db,
    ask: askThrough(db, texts),
    together: alone(db),
    hasRowLocks: true,
    leaseNow: () => databaseTime(db, clock),
  };
}

/** As every node sees it, however its own clock is set. */
async function databaseTime(db: Kysely<Database>, clock: PostgresStoreOptions["clock"]): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
  return Number(rows[0]?.now) + (clock?.monotonic() ?? 0);
}

async function ping(pool: PostgresPool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("select 1", []);
  } finally {
    client.release();
  }
}

/** Rejects with a StoreUnavailableError when `work` fails, or is not done in time. It goes on all the same. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const isDone = new AbortController();
  const late = systemClock.sleep(ms, isDone.signal).then(() => {
    throw new Error(`no answer within ${ms} ms`);
  });
  try {
    await Promise.race([work, late]);
  } catch (cause) {
    throw new StoreUnavailableError(cause);
  } finally {
    isDone.abort();
    for (const promise of [work, late]) promise.catch(() => {});
  }
}
