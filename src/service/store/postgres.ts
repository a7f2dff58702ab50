// The store on PostgreSQL, which any number of nodes share. Survives lost connections and a database that is unavailable
// for a few seconds: what was not committed is repeated, what may have been committed is not.

import { Kysely } from "kysely";
import pg from "pg";
import { type BackoffPolicy, nextDelayMs } from "../../base/backoff.ts";
import { systemClock } from "../../base/clock.ts";
import type { Store, StoreReader } from "../core/ports/store.ts";
import { isUpToDate, migrateToLatest } from "./migrate.ts";
import { oneStatementWrites } from "./one-statement-writes.ts";
import { PostgresClient, STALE } from "./postgres-client.ts";
import { OwnSchemaDialect } from "./postgres-dialect.ts";
import { StoreQueries } from "./queries.ts";
import type { Database } from "./tables.ts";

const MAX_CONNECTIONS = 10;
const INT8_OID = 20;
/** Serialization failure and deadlock: PostgreSQL has rolled the transaction back, and it can run again. */
const UNDONE = new Set(["40001", "40P01"]);
/** Shut down by an operator or a crash, still starting, out of connections. */
const AWAY = new Set(["57P01", "57P02", "57P03", "53300", "08000", "08003", "08006"]);
/** About three seconds in total, which a request can wait. */
const RETRIES: BackoffPolicy = { attempts: 8, firstDelayMs: 25, maxDelayMs: 1_000 };

export type PostgresStoreOptions = { readonly url: string };

/**
 * Opens the store at `url` and brings its schema (the connection's `search_path`) up to date, one node at a time.
 * Rejects when the database cannot be reached, or its schema is newer than this version.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    types: { getTypeParser },
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    pipeline: true,
  });
  const losses = new Losses(pool);
  const patient = {
    connect: async () => new PostgresClient(await losses.untilConnected(() => pool.connect())),
    end: () => pool.end(),
  };
  const db = new Kysely<Database>({ dialect: new OwnSchemaDialect({ pool: patient }) });
  try {
    await losses.untilConnected(() => pool.query("select 1"));
    await migrateWhereNeeded({ db, pool, url });
  } catch (cause) {
    await db.destroy();
    throw cause;
  }

  const direct = queriesOn(db);
  return {
    committed: repeating(direct, losses),
    transact: (work, { isOneWrite = false } = {}) =>
      losses.again(async (attempt) => {
        if (isOneWrite) {
          // The statement commits itself: after a lost connection it is unknown whether it did.
          attempt.isRepeatable = false;
          return await work(direct);
        }
        return await db.transaction().execute(async (transaction) => {
          const value = await work(queriesOn(transaction));
          // From here on it is unknown whether a transaction on a lost connection was committed.
          attempt.isRepeatable = false;
          return value;
        });
      }),
    ping: async () => {
      await pool.query("select 1");
    },
    close: async () => {
      losses.isClosed = true;
      await db.destroy();
    },
  };
}

type Attempt = { isRepeatable: boolean };

/** Counts lost connections, and repeats the work that a loss undid. */
class Losses {
  isClosed = false;
  #count = 0;

  constructor(pool: pg.Pool) {
    const lose = () => {
      this.#count += 1;
    };
    // The pool replaces a connection that breaks while idle. Without a listener, one that breaks in use ends the process.
    pool.on("error", lose);
    pool.on("connect", (client) => client.on("error", lose));
  }

  async untilConnected<Value>(connect: () => Promise<Value>): Promise<Value> {
    return await this.#repeat(
      connect,
      (cause) => !(cause instanceof pg.DatabaseError) || hasState(cause, AWAY),
    );
  }

  async again<Value>(work: (attempt: Attempt) => Promise<Value>): Promise<Value> {
    let attempt: Attempt = { isRepeatable: true };
    let before = this.#count;
    const once = async () => {
      attempt = { isRepeatable: true };
      before = this.#count;
      return await work(attempt);
    };
    return await this.#repeat(once, (cause) => {
      if (hasState(cause, UNDONE) || hasState(cause, STALE)) return true;
      return attempt.isRepeatable && (hasState(cause, AWAY) || this.#count !== before);
    });
  }

  async #repeat<Value>(work: () => Promise<Value>, isWorthIt: (cause: unknown) => boolean): Promise<Value> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (cause) {
        const delayMs = nextDelayMs(RETRIES, { attempt, random: 0.5 });
        if (delayMs === null || this.isClosed || !isWorthIt(cause)) throw cause;
        await systemClock.sleep(delayMs);
      }
    }
  }
}

function queriesOn(db: Kysely<Database>): StoreQueries {
  return new StoreQueries({ db, hasRowLocks: true }, oneStatementWrites);
}

/** Reads of every noun that are repeated when their connection was lost. */
function repeating(queries: StoreReader, losses: Losses): StoreReader {
  return {
    accounts: repeatingNoun(queries.accounts, losses),
    apiKeys: repeatingNoun(queries.apiKeys, losses),
    agents: repeatingNoun(queries.agents, losses),
    sessions: repeatingNoun(queries.sessions, losses),
    runs: repeatingNoun(queries.runs, losses),
    events: repeatingNoun(queries.events, losses),
    queue: repeatingNoun(queries.queue, losses),
    ci: repeatingNoun(queries.ci, losses),
    claims: repeatingNoun(queries.claims, losses),
    ledger: repeatingNoun(queries.ledger, losses),
    schedules: repeatingNoun(queries.schedules, losses),
    workflows: repeatingNoun(queries.workflows, losses),
  };
}

function repeatingNoun<Noun extends object>(noun: Noun, losses: Losses): Noun {
  return new Proxy(noun, {
    get: (target, name) => {
      const read: unknown = Reflect.get(target, name);
      if (typeof read !== "function") return read;
      return (...query: unknown[]) => losses.again(async () => await read.apply(target, query));
    },
  });
}

function hasState(cause: unknown, states: ReadonlySet<string>): boolean {
  return cause instanceof pg.DatabaseError && cause.code !== undefined && states.has(cause.code);
}

/** Brings the schema up to date where it is not. Nodes that start at the same time wait for the first. */
async function migrateWhereNeeded(parts: {
  db: Kysely<Database>;
  pool: pg.Pool;
  url: string;
}): Promise<void> {
  const { db, pool, url } = parts;
  const { rows } = await pool.query<{ schema: string }>("select current_schema() as schema");
  const schema = rows[0]?.schema;
  if (schema === undefined) throw new TypeError("DATABASE_URL names a search_path without a schema.");
  if (await isUpToDate(db, { schema })) return;
  const lock = new pg.Client({ connectionString: url });
  lock.on("error", () => {});
  await lock.connect();
  try {
    await lock.query("select pg_advisory_lock(hashtext('agent-service:' || current_schema()))");
    await migrateToLatest(db, { schema });
  } finally {
    await lock.end().catch(() => {});
  }
}

/** The 64-bit columns hold milliseconds, counts and micro-USD: all are safe integers. */
function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as "text");
}
