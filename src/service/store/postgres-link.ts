// Publishes changes to the other nodes on the same database and schema: LISTEN and NOTIFY on one connection a node. NOTIFY
// within a transaction would serialize the commits of all of them, so it follows them, many signals in one statement. What moves is
// published on one of many channels by its id, and a node listens to those of what somebody waits for there. See
// docs/decisions/011-the-runs-table-is-the-queue.md.

import { setImmediate } from "node:timers/promises";
import { type BackoffPolicy, nextDelayMs } from "../../base/backoff.ts";
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { NodeLink, NodeSignal } from "../core/runs/node-link.ts";
import { ListeningConnection } from "./listening-connection.ts";
import { joinNodes } from "./node-locks.ts";
import { untilConnected } from "./postgres-start.ts";
import { SignalChannels } from "./signal-channels.ts";
import { SilenceWatch } from "./silence-watch.ts";

const RECONNECT: BackoffPolicy = { attempts: Number.POSITIVE_INFINITY, firstDelayMs: 100, maxDelayMs: 5_000 };
/** Beyond this many unpublished signals they are dropped: whoever waits also reads the store from time to time. */
const MAX_UNPUBLISHED = 50_000;
/**
 * From one publication to the next. Each is a transaction, for PostgreSQL and for every node: under load the signals of a few
 * milliseconds are one. The first one after a pause does not wait.
 */
const APART_MS = 2;
/** Nothing here waits for a lock or a disk. */
const SILENCE_MS = 5_000;
/** The time for which a first connection is waited for: the store is connected already. */
const WAIT_MS = 10_000;
/** The time that the last signals have to leave when the link is closed. */
const CLOSE_MS = 1_000;

type PostgresLinkOptions = {
  readonly url: string;
  /** Another node published this. */
  readonly onSignal: (signal: NodeSignal, runId: string) => void;
  /** The connection was lost for a while, and signals with it. */
  readonly onReconnect: () => void;
  /** What moved before this node heard of it was missed, if it did. */
  readonly onFollowed: (id: string) => void;
  /** What somebody on this node waits for. */
  readonly waitedFor: () => Iterable<string>;
  readonly log: Logger;
  /** A number in [0, 1). */
  readonly random: () => number;
};

/** A payload has less than 8,000 bytes, and an id of a run or a session 36. */
const RUNS_A_PAYLOAD = 200;
const SEPARATOR = ",";

type Publication = { readonly channel: string; readonly runId: string };

/** Connects to `url`, and again after each loss. Rejects with an OperatorError when the first connection fails. */
export async function openPostgresLink(options: PostgresLinkOptions): Promise<NodeLink> {
  const link = new PostgresLink(options);
  try {
    await untilConnected(options.url, () => link.connect(), { waitMs: WAIT_MS });
    return link;
  } catch (cause) {
    await link.close();
    throw cause;
  }
}

class PostgresLink implements NodeLink {
  readonly #options: PostgresLinkOptions;
  readonly #closing = new AbortController();
  readonly #watch = new SilenceWatch(SILENCE_MS);
  #unpublished = new Map<string, { readonly signal: NodeSignal; readonly runId: string }>();
  #connection: ListeningConnection | null = null;
  /** Of the connection. */
  #channels: SignalChannels | null = null;
  /** The server process of the connection: its own signals come back to it. */
  #pid = 0;
  #publishing: Promise<void> | null = null;
  /** By the monotonic clock, when the last publication left. */
  #publishedAt = Number.NEGATIVE_INFINITY;

  constructor(options: PostgresLinkOptions) {
    this.#options = options;
  }

  publish(signal: NodeSignal, runId: string): void {
    if (this.#closing.signal.aborted) return;
    if (this.#unpublished.size >= MAX_UNPUBLISHED) this.#unpublished.clear();
    this.#unpublished.set(`${signal} ${runId}`, { signal, runId });
    this.#startPublishing();
  }

  follow(id: string): void {
    this.#channels?.follow(id);
  }

  async close(): Promise<void> {
    const isLate = new AbortController();
    const late = systemClock.sleep(CLOSE_MS, isLate.signal).catch(() => {});
    await Promise.race([this.#publishing, late]);
    isLate.abort();
    this.#closing.abort();
    const connection = this.#connection;
    this.#connection = null;
    this.#channels?.close();
    await connection?.end();
    this.#watch.close();
  }

  async connect(): Promise<void> {
    const connection = await ListeningConnection.open({
      url: this.#options.url,
      watch: this.#watch,
      onNotification: ({ channel, payload, pid }) => {
        if (pid !== this.#pid) this.#receive(channel, payload);
      },
      onLost: (lost, why) => this.#lose(lost, why),
    });
    try {
      await joinNodes(connection);
      await this.#listen(connection);
    } catch (cause) {
      this.#channels?.close();
      await connection.end();
      throw cause;
    }
    if (this.#closing.signal.aborted) {
      this.#channels?.close();
      return await connection.end();
    }
    this.#connection = connection;
    this.#startPublishing();
  }

  async #listen(connection: ListeningConnection): Promise<void> {
    // A signal needs no write to disk: a node that misses one has lost its connection, and reads the store.
    await connection.query("set synchronous_commit = off");
    const [row] = await connection.query<{ schema: string; pid: number }>(
      "select current_schema() as schema, pg_backend_pid() as pid",
    );
    const { schema, pid } = row ?? { schema: "", pid: 0 };
    this.#pid = pid;
    this.#channels?.close();
    const { onFollowed, waitedFor } = this.#options;
    this.#channels = new SignalChannels({
      schema,
      query: (text) => connection.query(text),
      onFollowed,
      waitedFor,
    });
    await this.#channels.listen();
  }

  #receive(channel: string, payload: string): void {
    const signal = this.#channels?.signalOf(channel) ?? null;
    if (signal === null) return;
    for (const runId of payload.split(SEPARATOR)) this.#options.onSignal(signal, runId);
  }

  #startPublishing(): void {
    if (this.#unpublished.size === 0) return;
    // After this turn of the event loop: what it publishes is one statement.
    this.#publishing ??= setImmediate()
      .then(() => this.#publishAll())
      .finally(() => {
        this.#publishing = null;
      });
  }

  async #publishAll(): Promise<void> {
    while (this.#unpublished.size > 0 && this.#connection !== null) {
      const tooEarlyMs = this.#publishedAt + APART_MS - systemClock.monotonic();
      if (tooEarlyMs > 0) await systemClock.sleep(tooEarlyMs);
      const connection = this.#connection;
      const channels = this.#channels;
      if (connection === null || channels === null) return;
      this.#publishedAt = systemClock.monotonic();
      const batch = this.#unpublished;
      this.#unpublished = new Map();
      const publications = [...batch.values()].map(({ signal, runId }) => ({
        channel: channels.channelOf(signal, runId),
        runId,
      }));
      const payloads = payloadsOf(publications);
      try {
        await connection.query(
          "select pg_notify(channel, runs) from unnest($1::text[], $2::text[]) as t (channel, runs)",
          {
            values: [
              payloads.map(({ channel }) => channel),
              payloads.map(({ runIds }) => runIds.join(SEPARATOR)),
            ],
            name: "publish",
          },
        );
      } catch (cause) {
        for (const [key, value] of batch) this.#unpublished.set(key, value);
        this.#lose(connection, cause instanceof Error ? cause.message : "unknown cause");
      }
    }
  }

  #lose(connection: ListeningConnection, why: string): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    if (this.#closing.signal.aborted) return;
    this.#options.log.warn({ why }, "lost the connection to the other nodes, connecting again");
    void connection.end();
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

type Payload = { readonly channel: string; readonly runIds: string[] };

/** The runs of each channel together, as many as one payload holds. */
function payloadsOf(publications: readonly Publication[]): readonly Payload[] {
  const payloads: Payload[] = [];
  const open = new Map<string, Payload>();
  for (const { channel, runId } of publications) {
    let payload = open.get(channel);
    if (payload === undefined || payload.runIds.length >= RUNS_A_PAYLOAD) {
      payload = { channel, runIds: [] };
      open.set(channel, payload);
      payloads.push(payload);
    }
    payload.runIds.push(runId);
  }
  return payloads;
}
