// One connection to PostgreSQL that listens. Most of the time it waits for nothing, so that a loss would not be noticed:
// it asks for an answer now and then.

import type { Duplex } from "node:stream";
import type pg from "pg";
import { systemClock } from "../../base/clock.ts";
import { BoundedClient, connectionConfig } from "./postgres-connection.ts";
import type { SilenceWatch } from "./silence-watch.ts";

const HEARTBEAT_MS = 3_000;

type ListeningOptions = {
  readonly url: string;
  readonly watch: SilenceWatch;
  /** A session, this one too, published this. `pid` is its server process. */
  readonly onNotification: (notification: { channel: string; payload: string; pid: number }) => void;
  /** It broke or fell silent. Called once, and not after `end`. */
  readonly onLost: (connection: ListeningConnection, why: string) => void;
};

export class ListeningConnection {
  readonly #client: BoundedClient;
  readonly #unwatch: () => void;
  readonly #onLost: ListeningOptions["onLost"];
  readonly #over = new AbortController();
  #awaited = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects when there is no connection, or none in time. */
  static async open(options: ListeningOptions): Promise<ListeningConnection> {
    const connection = new ListeningConnection(options);
    try {
      await connection.#client.connect();
      void connection.#beat();
      return connection;
    } catch (cause) {
      await connection.end();
      throw cause;
    }
  }

  private constructor({ url, watch, onNotification, onLost }: ListeningOptions) {
    this.#client = new BoundedClient(connectionConfig(url));
    this.#onLost = onLost;
    this.#client.on("error", (cause) => this.#lose(cause.message));
    this.#client.on("end", () => this.#lose("connection ended"));
    this.#client.on("notification", ({ channel, payload, processId: pid }) => {
      if (payload !== undefined) onNotification({ channel, payload, pid });
    });
    this.#unwatch = watch.add(this);
  }

  /** Whether the server owes an answer. */
  get isWaiting(): boolean {
    return this.#awaited > 0;
  }

  get stream(): Duplex {
    return this.#client.connection.stream;
  }

  onSilence(): void {
    this.stream.destroy(new Error("PostgreSQL does not answer"));
  }

  /** With a `name` the statement is prepared once. */
  async query<Row extends pg.QueryResultRow>(
    text: string,
    { values = [], name }: { values?: unknown[]; name?: string } = {},
  ): Promise<Row[]> {
    this.#awaited += 1;
    // The client takes one statement at a time.
    const answer = this.#last.then(() =>
      this.#client.query<Row>({ text, values, ...(name === undefined ? {} : { name }) }),
    );
    this.#last = answer.catch(() => {});
    try {
      return (await answer).rows;
    } finally {
      this.#awaited -= 1;
    }
  }

  /** Safe to repeat. */
  async end(): Promise<void> {
    this.#over.abort();
    this.#unwatch();
    await this.#client.end();
  }

  async #beat(): Promise<void> {
    for (;;) {
      await systemClock.sleep(HEARTBEAT_MS, this.#over.signal).catch(() => {});
      if (this.#over.signal.aborted) return;
      // A failure is a loss, which the client tells.
      await this.query("select 1").catch(() => {});
    }
  }

  #lose(why: string): void {
    if (this.#over.signal.aborted) return;
    void this.end();
    this.#onLost(this, why);
  }
}
