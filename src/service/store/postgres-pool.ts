// The connections of one node to PostgreSQL. One that falls silent is thrown away, and those that were idle meanwhile with
// it: they have the same network.

import pg from "pg";
import { systemClock } from "../../base/clock.ts";
import { PostgresClient } from "./postgres-client.ts";
import { BoundedClient, connectionConfig, silenceMs } from "./postgres-connection.ts";
import { getTypeParser } from "./postgres-pipeline.ts";
import { SilenceWatch } from "./silence-watch.ts";

export const MAX_CONNECTIONS = 10;
/** The time that statements at work may take when the store is closed. */
const CLOSE_MS = 2_000;

export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #watch: SilenceWatch;
  readonly #clients = new Set<pg.PoolClient>();
  readonly #inUse = new Set<pg.PoolClient>();

  /** Connects when it is asked to. Throws when `url` has parameters that cannot be used. */
  constructor(url: string) {
    // The pool itself would find out at its first connection.
    new BoundedClient(connectionConfig(url));
    this.#pool = new pg.Pool({
      ...connectionConfig(url),
      Client: BoundedClient,
      max: MAX_CONNECTIONS,
      types: { getTypeParser },
      pipeline: true,
    });
    this.#watch = new SilenceWatch(silenceMs(url));
    // The pool replaces a connection that breaks while idle. Without a listener, one that breaks in use ends the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => {
      this.#clients.add(client);
      client.on("error", () => {});
    });
    this.#pool.on("remove", (client) => this.#clients.delete(client));
  }

  /** A connection, as soon as one is free. Rejects when there is none in time. */
  async connect(): Promise<PostgresClient> {
    const client = await this.#pool.connect();
    this.#inUse.add(client);
    const unwatch = this.#watch.add({
      get isWaiting() {
        return leased.isWaiting;
      },
      stream: client.connection.stream,
      onSilence: () => this.#dropSilent(client),
    });
    const leased: PostgresClient = new PostgresClient(client, {
      onRelease: () => {
        unwatch();
        this.#inUse.delete(client);
      },
    });
    return leased;
  }

  /** Ends every connection: those in use once their work is done, or after a moment all the same. */
  async end(): Promise<void> {
    const ended = this.#pool.end();
    const isLate = new AbortController();
    await Promise.race([ended, systemClock.sleep(CLOSE_MS, isLate.signal).catch(() => {})]);
    isLate.abort();
    for (const client of this.#clients) drop(client, "the store is closed");
    this.#watch.close();
  }

  #dropSilent(silent: pg.PoolClient): void {
    for (const client of this.#clients) {
      if (client === silent || !this.#inUse.has(client)) drop(client, "PostgreSQL does not answer");
    }
  }
}

function drop({ connection }: pg.PoolClient, why: string): void {
  connection.stream.destroy(new Error(why));
}
