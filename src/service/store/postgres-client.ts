// A connection to PostgreSQL as Kysely's driver uses it, in fewer and lighter round trips: frequent statements are prepared
// once, and the beginning of a transaction goes out together with its first statement.

import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from "kysely";
import pg from "pg";
import {
  type PipelineStatement,
  type StatementResult,
  sendTogether,
  toObjects,
} from "./postgres-pipeline.ts";

/**
 * What another connection can do: the statement was prepared for tables that have changed since, or was forgotten by
 * somebody in between, or the server has become a standby.
 */
export const STALE: ReadonlySet<string> = new Set(["0A000", "26000", "25006"]);

/** The connection broke, or fell silent, before the answer was there. */
export class ConnectionLostError extends Error {
  readonly code = "connection_lost";
}

const nothing = { command: "SELECT", rowCount: 0, rows: [] } as const;

export class PostgresClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #onRelease: () => void;
  #awaited = 0;
  #isToBegin = false;
  #isStale = false;
  #loss: ConnectionLostError | null = null;

  /** `client` has to be in pipeline mode. */
  constructor(client: pg.PoolClient, options: { onRelease(): void }) {
    this.#client = client;
    this.#onRelease = options.onRelease;
  }

  /** Whether the server owes an answer. */
  get isWaiting(): boolean {
    return this.#awaited > 0;
  }

  query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(
    asked: string | PostgresCursor<Row>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    if (typeof asked !== "string") throw new TypeError("Cursors are not used here.");
    return this.#ask(asked, values);
  }

  /** Executes the statements in one message each way. One that fails undoes the others, unless in a transaction. */
  async send(statements: readonly PipelineStatement[]): Promise<readonly StatementResult[]> {
    return await this.#await(() => sendTogether(this.#client, statements));
  }

  release(): void {
    // A connection that is thrown away takes with it what it has prepared.
    this.#onRelease();
    this.#client.release(this.#isStale);
  }

  async #ask<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    if (text === "begin") {
      this.#isToBegin = true;
      return { ...nothing, rows: [] };
    }
    if (!this.#isToBegin) return await this.#send<Row>(text, values);
    this.#isToBegin = false;
    if (text === "commit" || text === "rollback") return { ...nothing, rows: [] };
    const { stream } = this.#client.connection;
    stream.cork();
    const answers = Promise.all([
      this.#client.query("begin").catch((cause) => this.#fail(cause)),
      this.#send<Row>(text, values),
    ]);
    stream.uncork();
    const [, answer] = await answers;
    return answer;
  }

  async #send<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    if (isPreparable(text)) {
      const [answer] = await this.send([{ text, values }]);
      if (answer === undefined) throw new Error("PostgreSQL answered with nothing.");
      const [command, ...counts] = answer.completion.split(" ");
      return {
        command: command as PostgresQueryResult<Row>["command"],
        rowCount: Number(counts.at(-1) ?? 0),
        rows: toObjects<Row>(answer),
      };
    }
    const { command, rowCount, rows } = await this.#await(() =>
      this.#client.query<Row & pg.QueryResultRow>({ text, values: [...values] }),
    );
    return { command: command as PostgresQueryResult<Row>["command"], rowCount: rowCount ?? 0, rows };
  }

  async #await<Value>(send: () => Promise<Value>): Promise<Value> {
    this.#awaited += 1;
    try {
      return await send();
    } catch (cause) {
      if (cause instanceof pg.DatabaseError && STALE.has(cause.code ?? "")) this.#isStale = true;
      this.#fail(cause);
    } finally {
      this.#awaited -= 1;
    }
  }

  /** What the server did not say is the connection's failure, whose first cause every later statement is told. */
  #fail(cause: unknown): never {
    if (cause instanceof pg.DatabaseError) throw cause;
    this.#loss ??= new ConnectionLostError(cause instanceof Error ? cause.message : "unknown cause", {
      cause,
    });
    throw this.#loss;
  }
}

/** Whether PostgreSQL prepares it. The rest begins and ends transactions, or changes tables. */
function isPreparable(text: string): boolean {
  return /^\s*(?:select|with|insert|update|delete)\b/.test(text);
}
