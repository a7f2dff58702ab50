// Reads of many callers at the same time: the same query for many of them is one statement, as a LATERAL join on the values of
// all, and the statements of different queries are sent together.

import type { Kysely } from "kysely";
import { Batches } from "./batches.ts";
import {
  askThrough,
  type KeptQuery,
  type KeptQueryRunner,
  type KeptText,
  type KeptTexts,
} from "./kept-query.ts";
import { type PipelineStatement, type Send, type StatementResult, toObject } from "./postgres-pipeline.ts";
import { isOfItsItems } from "./postgres-retries.ts";
import type { Database } from "./tables.ts";

/** Reads that are sent together. */
const MAX_READS = 400;
const MAX_RUNNING = 3;

type Bound = readonly unknown[];
type Read = { readonly query: SharedQuery; readonly bound: Bound };
type Rows = readonly unknown[];

/**
 * Asks through `send`, and reads for many callers at once. What takes locks is asked through `db`, by itself. A read sees all
 * that was committed when it was asked for.
 */
export function askTogether({
  db,
  texts,
  send,
}: {
  db: Kysely<Database>;
  texts: KeptTexts;
  send: Send;
}): KeptQueryRunner {
  const queries = new Map<unknown, SharedQuery | null>();
  const reads = new Batches<Read, Rows>({
    run: (batch) => readAll(send, batch),
    maxItems: MAX_READS,
    maxRunning: MAX_RUNNING,
    isWorthTryingAlone: isOfItsItems,
  });
  const askAlone = askThrough(db, texts);
  return async <Values extends object, Row>(
    query: KeptQuery<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> => {
    let shared = queries.get(query);
    if (shared === undefined) {
      const text = texts.of(query);
      shared = isPlainRead(text.compiled.sql) ? new SharedQuery(text) : null;
      queries.set(query, shared);
    }
    if (shared === null) return await askAlone(query, values);
    return (await shared.ask(values, reads)) as readonly Row[];
  };
}

function isPlainRead(sql: string): boolean {
  return sql.startsWith("select") && !/ for (?:update|share)/.test(sql);
}

class SharedQuery {
  readonly #text: KeptText<object, unknown>;
  /** Callers that ask for the same before it was sent get the same answer. */
  readonly #asked = new Map<string, Promise<Rows>>();
  #sql: string | null = null;

  constructor(text: KeptText<object, unknown>) {
    this.#text = text;
  }

  ask(values: object, reads: Batches<Read, Rows>): Promise<Rows> {
    const bound = this.#text.bind(values);
    const key = keyOf(bound);
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const answer = reads.add({ query: this, bound });
    this.#asked.set(key, answer);
    return answer;
  }

  /** One statement for all callers. From now on the same question is a new one. */
  statementFor(callers: readonly Bound[]): PipelineStatement {
    for (const bound of callers) this.#asked.delete(keyOf(bound));
    const [first = []] = callers;
    this.#sql ??= togetherSql(this.#text.compiled.sql, first);
    return { text: this.#sql, values: first.map((_, at) => callers.map((bound) => bound[at])) };
  }
}

function keyOf(bound: Bound): string {
  const [only] = bound;
  return bound.length === 1 && typeof only === "string" ? only : JSON.stringify(bound);
}

/** The rows of each read, in order. */
async function readAll(send: Send, batch: readonly Read[]): Promise<readonly Rows[]> {
  const byQuery = new Map<SharedQuery, number[]>();
  for (const [place, { query }] of batch.entries()) {
    const places = byQuery.get(query);
    if (places === undefined) byQuery.set(query, [place]);
    else places.push(place);
  }
  const asked = [...byQuery].map(([query, places]) => ({
    places,
    statement: query.statementFor(places.map((place) => batch[place]?.bound ?? [])),
  }));
  const answers = await send(asked.map(({ statement }) => statement));
  const rows: unknown[][] = batch.map(() => []);
  for (const [index, { places }] of asked.entries()) {
    const answer = answers[index];
    if (answer !== undefined) distribute(answer, (caller) => rows[places[caller - 1] ?? -1]);
  }
  return rows;
}

/** The first column says whose a row is. */
function distribute(
  { columns, rows }: StatementResult,
  rowsOf: (caller: number) => unknown[] | undefined,
): void {
  for (const row of rows) rowsOf(Number(row[0]))?.push(toObject(columns, row, 1));
}

/** The statement for many callers; the values of the first one say of which types they are. */
function togetherSql(sql: string, values: Bound): string {
  const columns = values.map((_, at) => `v${at + 1}`);
  const arrays = values.map((value, at) => `$${at + 1}::${typeof value === "number" ? "bigint" : "text"}[]`);
  const forOne = sql.replace(/\$(\d+)/g, "asking.v$1");
  return `select asking.caller, answer.* from unnest(${arrays.join(", ")}) with ordinality as asking (${[...columns, "caller"].join(", ")}) cross join lateral (${forOne}) as answer`;
}
