// The same read for many callers in one statement: each kept query as a LATERAL join on the values of all callers.

import { CompiledQuery, type Kysely } from "kysely";
import { Batches } from "./batches.ts";
import type { Ask, KeptQuery, KeptText, KeptTexts } from "./kept-query.ts";
import type { Database } from "./tables.ts";

const MAX_CALLERS = 200;
/** Of one query. */
const MAX_RUNNING = 2;

type Bound = readonly unknown[];
type Place = { readonly caller: number };

/**
 * Asks through `db`, and reads for many callers at once. Everything else, and what takes locks, is asked by itself. A read
 * sees all that was committed when it was asked for.
 */
export function askTogether(db: Kysely<Database>, texts: KeptTexts): Ask {
  const reads = new Map<unknown, SharedRead | null>();
  return async <Values extends object, Row>(
    query: KeptQuery<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> => {
    const text = texts.of(query);
    let read = reads.get(query);
    if (read === undefined) {
      read = isPlainRead(text.compiled.sql) ? new SharedRead(db, text) : null;
      reads.set(query, read);
    }
    const bound = text.bind(values);
    if (read !== null) return (await read.ask(bound)) as readonly Row[];
    return (await db.executeQuery<Row>({ ...text.compiled, parameters: bound })).rows;
  };
}

function isPlainRead(sql: string): boolean {
  return sql.startsWith("select") && !/ for (?:update|share)/.test(sql);
}

class SharedRead {
  readonly #db: Kysely<Database>;
  readonly #text: KeptText<never, unknown>;
  readonly #batches: Batches<Bound, readonly unknown[]>;
  /** Callers that ask for the same before it was sent get the same answer. */
  #asked = new Map<string, Promise<readonly unknown[]>>();
  #sql: string | null = null;

  constructor(db: Kysely<Database>, text: KeptText<never, unknown>) {
    this.#db = db;
    this.#text = text;
    this.#batches = new Batches({
      run: (callers) => this.#read(callers),
      maxItems: MAX_CALLERS,
      maxRunning: MAX_RUNNING,
      isWorthTryingAlone: () => false,
    });
  }

  ask(bound: Bound): Promise<readonly unknown[]> {
    const key = JSON.stringify(bound);
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const answer = this.#batches.add(bound);
    this.#asked.set(key, answer);
    return answer;
  }

  async #read(callers: readonly Bound[]): Promise<readonly (readonly unknown[])[]> {
    for (const bound of callers) this.#asked.delete(JSON.stringify(bound));
    const [first] = callers;
    if (first === undefined) return [];
    this.#sql ??= togetherSql(this.#text.compiled.sql, first);
    const columns = first.map((_, at) => callers.map((bound) => bound[at]));
    const { rows } = await this.#db.executeQuery<Place>(CompiledQuery.raw(this.#sql, columns));
    const answers: unknown[][] = callers.map(() => []);
    for (const { caller, ...row } of rows) answers[caller - 1]?.push(row);
    return answers;
  }
}

/** The statement for many callers; the values of the first one say of which types they are. */
function togetherSql(sql: string, values: Bound): string {
  const columns = values.map((_, at) => `v${at + 1}`);
  const arrays = values.map((value, at) => `$${at + 1}::${typeof value === "number" ? "bigint" : "text"}[]`);
  const forOne = sql.replace(/\$(\d+)/g, "asking.v$1");
  return `select asking.caller, answer.* from unnest(${arrays.join(", ")}) with ordinality as asking (${[...columns, "caller"].join(", ")}) cross join lateral (${forOne}) as answer`;
}
