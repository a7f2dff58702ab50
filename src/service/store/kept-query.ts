// Queries that are built once. Building one anew takes longer than SQLite takes to answer it, and for PostgreSQL the
// same text is the same prepared statement.

import type { CompiledQuery, Kysely } from "kysely";
import type { Database } from "./tables.ts";

/** The stand-in for a value that `build` gets: it may only be handed on to the query. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

type Compilable<Row> = { compile(): CompiledQuery<Row> };
type Build<Values, Row> = (db: Kysely<Database>, values: Values) => Compilable<Row>;

export class KeptQuery<Values extends object, Row> {
  readonly #build: Build<Values, Row>;
  readonly #names: readonly string[];

  constructor(names: readonly string[], build: Build<Values, Row>) {
    this.#names = names;
    this.#build = build;
  }

  compile(db: Kysely<Database>): KeptText<Values, Row> {
    const placeholders = Object.fromEntries(this.#names.map((name) => [name, new Placeholder(name)]));
    // A builder treats a value that it does not know as one to be bound.
    return new KeptText(this.#build(db, placeholders as Values).compile());
  }
}

/** The text of a query in one dialect. */
export class KeptText<Values extends object, Row> {
  readonly compiled: CompiledQuery<Row>;

  constructor(compiled: CompiledQuery<Row>) {
    this.compiled = compiled;
  }

  bind(values: Values): unknown[] {
    return this.compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? Reflect.get(values, parameter.name) : parameter,
    );
  }
}

/**
 * A query with the values `names`: `keepQuery<{ id: string }>("id")((db, { id }) => db.selectFrom(…).where("id", "=", id))`.
 * `build` is called once a store, so the query's text must not depend on the values.
 */
export function keepQuery<Values extends object>(
  ...names: readonly (keyof Values & string)[]
): <Row>(build: Build<Values, Row>) => KeptQuery<Values, Row> {
  return (build) => new KeptQuery(names, build);
}

/** The texts of one store's kept queries. */
export class KeptTexts {
  readonly #db: Kysely<Database>;
  readonly #texts = new Map<unknown, unknown>();

  /** `db` only compiles. */
  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  of<Values extends object, Row>(query: KeptQuery<Values, Row>): KeptText<Values, Row> {
    const known = this.#texts.get(query) as KeptText<Values, Row> | undefined;
    if (known !== undefined) return known;
    const text = query.compile(this.#db);
    this.#texts.set(query, text);
    return text;
  }
}

/** Asks one connection. */
export type KeptQueryRunner = <Values extends object, Row>(
  query: KeptQuery<Values, Row>,
  values: Values,
) => Promise<readonly Row[]>;

/** Asks through Kysely: a pool, or a transaction. */
export function askThrough(db: Kysely<Database>, texts: KeptTexts): KeptQueryRunner {
  return async <Values extends object, Row>(query: KeptQuery<Values, Row>, values: Values) => {
    const text = texts.of(query);
    const { rows } = await db.executeQuery<Row>({ ...text.compiled, parameters: text.bind(values) });
    return rows;
  };
}
