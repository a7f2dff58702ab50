// The first connection to PostgreSQL: waits for a database that is still starting, says in one sentence why one cannot be
// used, and brings its schema up to date.

import { Kysely, sql } from "kysely";
import pg from "pg";
import { systemClock } from "../../base/clock.ts";
import { OperatorError, systemCodeOf } from "../../base/operator-error.ts";
import { isUpToDate, migrateToLatest } from "./migrate.ts";
import { BoundedClient, patientConfig } from "./postgres-connection.ts";
import { OwnSchemaDialect } from "./postgres-dialect.ts";
import { isWorthWaitingFor } from "./postgres-retries.ts";
import type { Database } from "./tables.ts";

const TRY_EVERY_MS = 1_000;
/** The interval at which `onWait` is called. */
const TELL_EVERY_MS = 5_000;

/** The database at DATABASE_URL cannot be used. The message has its host, never its password. */
class UnusableDatabaseError extends OperatorError {
  readonly code = "database_unusable";
}

export type Waiting = {
  /** The time for which a database that does not answer is waited for. */
  readonly waitMs: number;
  /** Called now and then while it does not answer, with the reason and the time that is left. */
  readonly onWait?: ((reason: string, leftSeconds: number) => void) | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
};

/** Resolves once `connect` does. Rejects with its OperatorError, or with an UnusableDatabaseError when it cannot, or not in time. */
export async function untilConnected<Value>(
  url: string,
  connect: () => Promise<Value>,
  { waitMs, onWait, signal }: Waiting,
): Promise<Value> {
  const begunAt = performance.now();
  let toldAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await connect();
    } catch (cause) {
      if (cause instanceof OperatorError) throw cause;
      const now = performance.now();
      const leftMs = begunAt + waitMs - now;
      if (!isWorthWaitingFor(cause) || leftMs <= 0) throw unusable(url, cause, waitMs);
      if (now - toldAt >= TELL_EVERY_MS) {
        onWait?.(reasonOf(cause), Math.ceil(leftMs / 1000));
        toldAt = now;
      }
      await systemClock.sleep(Math.min(TRY_EVERY_MS, leftMs), signal);
    }
  }
}

/** The error of a parameter of DATABASE_URL that cannot be used. */
export function urlError(cause: unknown): UnusableDatabaseError {
  const message = cause instanceof Error ? cause.message : "unknown cause";
  return new UnusableDatabaseError(`DATABASE_URL has a parameter that cannot be used: ${message}`, { cause });
}

function unusable(url: string, cause: unknown, waitMs: number): UnusableDatabaseError {
  // Without the port: where a password has a "/" that is not escaped, the port is a part of it.
  const host = new URL(url).hostname || "a local socket";
  const late = waitMs === 0 ? "does not answer" : `did not answer within ${waitMs / 1000} s`;
  const [problem, fix] = isWorthWaitingFor(cause)
    ? [late, "Start it, or correct DATABASE_URL."]
    : ["refuses this service", "Correct DATABASE_URL."];
  return new UnusableDatabaseError(
    `PostgreSQL at DATABASE_URL (host ${host}) ${problem}: ${reasonOf(cause)}. ${fix}`,
    { cause },
  );
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host's name could not be resolved",
  EHOSTUNREACH: "no route to the host",
  ETIMEDOUT: "no answer",
};

function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  const code = systemCodeOf(inner);
  if (inner instanceof Error && code !== null && reasons[code] !== undefined)
    return `${reasons[code]} (${code})`;
  return inner instanceof Error && inner.message !== "" ? inner.message : (code ?? "unknown cause");
}

/** Brings the schema up to date where it is not. Nodes that start at the same time wait for the first. */
export async function migrateWhereNeeded(db: Kysely<Database>, url: string): Promise<void> {
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db);
  const schema = rows[0]?.schema ?? null;
  if (schema === null) {
    throw new UnusableDatabaseError(
      "DATABASE_URL names a search_path without a schema that exists. Make the schema, or correct the search_path.",
    );
  }
  if (!(await isUpToDate(db, { schema }))) await migrate(url, schema);
}

/** On connections of its own: a migration takes as long as it takes, and so does the wait for another node's. */
async function migrate(url: string, schema: string): Promise<void> {
  const pool = new pg.Pool({ ...patientConfig(url), Client: BoundedClient, max: 2 });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const db = new Kysely<Database>({ dialect: new OwnSchemaDialect({ pool }) });
  try {
    const lock = await pool.connect();
    try {
      await lock.query("select pg_advisory_lock(hashtext('agent-service:' || current_schema()))");
      await migrateToLatest(db, { schema });
    } finally {
      // The lock ends with its connection.
      lock.release(true);
    }
  } finally {
    await db.destroy();
  }
}
