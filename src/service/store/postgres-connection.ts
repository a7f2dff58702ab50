// A connection to PostgreSQL with a deadline on everything that it waits for, on both sides: neither a silent network
// nor a silent node holds anything for long.
// Why: docs/decisions/034-every-wait-on-postgresql-has-a-deadline.md

import type { Duplex } from "node:stream";
import pg from "pg";
import { systemClock } from "../../base/clock.ts";

/** In the startup message, which costs no round trip. Parameters of DATABASE_URL win. */
const SESSION = {
  statement_timeout: 5_000,
  // Above `deadlock_timeout`, one second, so that a deadlock is told from a lock that is held for long.
  lock_timeout: 3_000,
  // A node that falls silent in the middle of a transaction loses its locks.
  idle_in_transaction_session_timeout: 5_000,
} as const;
/** The server ends the sessions of a node that is gone after a minute, not after two hours. */
const KEEP_ALIVE = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3";
/**
 * All of our statements find their rows by an index. On tables that were just made the planner cannot know that: it would
 * read them whole, and keep that plan in prepared statements while they grow. The plan does not depend on the values, so
 * that one is enough: planning a read takes three times as long as executing it.
 */
const INDEX_PLANS =
  "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off -c plan_cache_mode=force_generic_plan";
/** The time that an answer may take beyond `statement_timeout` before the connection counts as silent. */
const ANSWER_MS = 2_000;
/** The time that a server may take to answer a goodbye. */
const GOODBYE_MS = 1_000;
/** The time that a statement of a migration may take, or the wait for it. */
const MIGRATION_MS = 15 * 60_000;
/** The time that a connection may take to be made, or to become free. */
const CONNECT_MS = 5_000;

/** Settings of every connection to `url`. Throws a TypeError when a parameter of the URL cannot be used. */
export function connectionConfig(url: string): pg.ClientConfig {
  const own = new URL(url);
  const options = own.searchParams.get("options");
  own.searchParams.set("options", [KEEP_ALIVE, INDEX_PLANS, options ?? ""].join(" ").trim());
  return {
    ...SESSION,
    connectionString: own.href,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: CONNECT_MS,
    fallback_application_name: "agent-service",
  };
}

/** For a migration, which may take long, and waits for those of other nodes. */
export function patientConfig(url: string): pg.ClientConfig {
  const own = new URL(url);
  for (const name of Object.keys(SESSION)) own.searchParams.set(name, String(MIGRATION_MS));
  return { ...connectionConfig(own.href), query_timeout: MIGRATION_MS + ANSWER_MS };
}

/** The time that a statement on a connection to `url` may be without any answer. Infinity where the URL sets no limit. */
export function silenceMs(url: string): number {
  const given = new URL(url).searchParams.get("statement_timeout");
  const statementMs = given === null ? SESSION.statement_timeout : Number.parseInt(given, 10);
  return statementMs > 0 ? statementMs + ANSWER_MS : Number.POSITIVE_INFINITY;
}

async function destroyLater(stream: Duplex): Promise<void> {
  if (stream.destroyed) return;
  const isClosed = new AbortController();
  stream.once("close", () => isClosed.abort());
  await systemClock.sleep(GOODBYE_MS, isClosed.signal).catch(() => {});
  stream.destroy();
}

/** A client whose `end` always ends: a network that has fallen silent answers no goodbye. */
export class BoundedClient extends pg.Client {
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    void destroyLater(this.connection.stream);
    return callback === undefined ? super.end() : super.end(callback);
  }
}
