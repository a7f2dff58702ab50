// Publishes to the other nodes on the same database and schema what changed: LISTEN and NOTIFY on one connection a
// node. NOTIFY within a transaction would serialize the commits of all of them, so it follows them, many signals in one
// statement. See docs/decisions/011-the-runs-table-is-the-queue.md.

import { createHash } from "node:crypto";
import pg from "pg";
import { type BackoffPolicy, nextDelayMs } from "../../base/backoff.ts";
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { type NodeLink, type NodeSignal, nodeSignals } from "../core/ports/node-link.ts";

const RECONNECT: BackoffPolicy = { attempts: Number.POSITIVE_INFINITY, firstDelayMs: 100, maxDelayMs: 5_000 };
/** Beyond this many unpublished signals they are dropped: whoever waits also reads the store from time to time. */
const MAX_UNPUBLISHED = 50_000;

export type PostgresLinkOptions = {
  readonly url: string;
  /** Another node published this. */
  readonly onSignal: (signal: NodeSignal, runId: string) => void;
  /** The connection was lost for a while, and signals with it. */
  readonly onReconnect: () => void;
  readonly log: Logger;
  /** A number in [0, 1). */
  readonly random: () => number;
};

type Publication = { readonly signal: NodeSignal; readonly runId: string };

/** Connects to `url`, and again after each loss. Rejects when the first connection fails. */
export async function openPostgresLink(options: PostgresLinkOptions): Promise<NodeLink> {
  const link = new PostgresLink(options);
  await link.connect();
  return link;
}

class PostgresLink implements NodeLink {
  readonly #options: PostgresLinkOptions;
  readonly #closing = new AbortController();
  #unpublished = new Map<string, Publication>();
  #client: pg.Client | null = null;
  #channels = new Map<NodeSignal, string>();
  #publishing: Promise<void> | null = null;

  constructor(options: PostgresLinkOptions) {
    this.#options = options;
  }

  publish(signal: NodeSignal, runId: string): void {
    if (this.#closing.signal.aborted) return;
    if (this.#unpublished.size >= MAX_UNPUBLISHED) this.#unpublished.clear();
    this.#unpublished.set(`${signal} ${runId}`, { signal, runId });
    this.#startPublishing();
  }

  async close(): Promise<void> {
    await this.#publishing;
    this.#closing.abort();
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 5_000,
    });
    client.on("error", () => this.#lose(client));
    client.on("end", () => this.#lose(client));
    try {
      await client.connect();
      await this.#listen(client);
    } catch (cause) {
      await client.end().catch(() => {});
      throw cause;
    }
    if (this.#closing.signal.aborted) return await client.end().catch(() => {});
    this.#client = client;
    this.#startPublishing();
  }

  async #listen(client: pg.Client): Promise<void> {
    // A signal needs no write to disk: a node that misses one has lost its connection, and reads the store.
    await client.query("set synchronous_commit = off");
    const { rows } = await client.query<{ schema: string; pid: number }>(
      "select current_schema() as schema, pg_backend_pid() as pid",
    );
    const { schema, pid } = rows[0] ?? { schema: "", pid: 0 };
    this.#channels = new Map(nodeSignals.map((signal) => [signal, channelOf(schema, signal)]));
    const signals = new Map([...this.#channels].map(([signal, channel]) => [channel, signal]));
    client.on("notification", ({ channel, payload, processId }) => {
      const signal = signals.get(channel);
      if (processId === pid || signal === undefined || payload === undefined) return;
      this.#options.onSignal(signal, payload);
    });
    for (const channel of this.#channels.values()) await client.query(`listen ${channel}`);
  }

  #startPublishing(): void {
    if (this.#unpublished.size === 0) return;
    this.#publishing ??= this.#publishAll().finally(() => {
      this.#publishing = null;
    });
  }

  async #publishAll(): Promise<void> {
    while (this.#unpublished.size > 0 && this.#client !== null) {
      const client = this.#client;
      const batch = this.#unpublished;
      this.#unpublished = new Map();
      const publications = [...batch.values()];
      const channels = publications.map(({ signal }) => this.#channels.get(signal));
      try {
        await client.query(
          "select pg_notify(channel, run) from unnest($1::text[], $2::text[]) as t (channel, run)",
          [channels, publications.map(({ runId }) => runId)],
        );
      } catch {
        for (const [key, value] of batch) this.#unpublished.set(key, value);
        this.#lose(client);
      }
    }
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    if (this.#closing.signal.aborted) return;
    this.#options.log.warn({}, "lost the connection to the other nodes, connecting again");
    client.end().catch(() => {});
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { log, onReconnect, random } = this.#options;
    for (let attempt = 1; !this.#closing.signal.aborted; attempt += 1) {
      try {
        await this.connect();
        log.info({ attempt }, "connected to the other nodes again");
        return onReconnect();
      } catch {
        const delayMs = nextDelayMs(RECONNECT, { attempt, random: random() }) ?? RECONNECT.maxDelayMs;
        await systemClock.sleep(delayMs, this.#closing.signal).catch(() => {});
      }
    }
  }
}

/** Channels belong to the database, so that the name includes the schema. A name has at most 63 bytes. */
function channelOf(schema: string, signal: NodeSignal): string {
  return `agent_service_${signal}_${createHash("sha256").update(schema).digest("hex").slice(0, 24)}`;
}
