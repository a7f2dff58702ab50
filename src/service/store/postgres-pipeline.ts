// Statements that are sent to PostgreSQL together and answered together: one message each way, and one transaction where
// there is none. Each is parsed, planned and described once a connection.
// Why: docs/decisions/011-the-runs-table-is-the-queue.md

import pg from "pg";
import { type PreparedStatement, PreparedStatements, type ResultColumn } from "./prepared-statements.ts";

const INT8_OID = 20;

export type PipelineStatement = { readonly text: string; readonly values: readonly unknown[] };

/** The values of a row in text form, in the order of the columns. */
type TextRow = readonly (string | null)[];

export type StatementResult = {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly TextRow[];
  /** "UPDATE 2": the command, and how many rows it was about. */
  readonly completion: string;
};

/** Sends statements on a connection of their own. */
export type Send = (statements: readonly PipelineStatement[]) => Promise<readonly StatementResult[]>;

type Handlers = { resolve(answers: readonly StatementResult[]): void; reject(cause: unknown): void };

const prepared = new WeakMap<pg.Connection, PreparedStatements>();

/** Executes the statements in order, on a client in pipeline mode. One that fails undoes the others, unless in a transaction. */
export async function sendTogether(
  client: pg.ClientBase,
  statements: readonly PipelineStatement[],
): Promise<readonly StatementResult[]> {
  return await new Promise((resolve, reject) => {
    client.query(new PipelinedQuery(statements, { resolve, reject }));
  });
}

/** The rows of an answer as objects, from the column `from` on. */
export function toObjects<Row>({ columns, rows }: StatementResult): Row[] {
  return rows.map((row) => toObject<Row>(columns, row, 0));
}

export function toObject<Row>(columns: readonly ResultColumn[], row: TextRow, from: number): Row {
  const object: Record<string, unknown> = {};
  for (let at = from; at < columns.length; at += 1) {
    const column = columns[at];
    const text = row[at];
    if (column !== undefined) object[column.name] = text == null ? null : column.parse(text);
  }
  return object as Row;
}

/** The query whose methods the library calls while the answers come. */
class PipelinedQuery extends pg.Query {
  readonly #statements: readonly PipelineStatement[];
  readonly #handlers: Handlers;
  readonly #answers: StatementResult[] = [];
  #known = new PreparedStatements();
  /** Parsed here for the first time. */
  readonly #parsed: string[] = [];
  #steps: readonly PreparedStatement[] = [];
  #rows: TextRow[] = [];

  constructor(statements: readonly PipelineStatement[], handlers: Handlers) {
    super({ text: "" });
    this.#statements = statements;
    this.#handlers = handlers;
  }

  override submit = (connection: pg.Connection): void => {
    this.#known = prepared.get(connection) ?? this.#known;
    prepared.set(connection, this.#known);
    connection.stream.cork();
    for (const name of this.#known.takeUnused()) connection.close({ type: "S", name }, true);
    this.#steps = this.#statements.map((statement) => this.#write(connection, statement));
    connection.sync();
    connection.stream.uncork();
  };

  #write(connection: pg.Connection, { text, values }: PipelineStatement): PreparedStatement {
    let step = this.#known.use(text);
    if (step === undefined) {
      step = this.#known.add(text);
      this.#parsed.push(text);
      connection.parse({ name: step.name, text, types: [] }, true);
    }
    connection.bind({ statement: step.name, values: values.map(toWire) }, true);
    if (step.columns === null) connection.describe({ type: "P" }, true);
    connection.execute({}, true);
    return step;
  }

  get #step(): PreparedStatement | undefined {
    return this.#steps[this.#answers.length];
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    const step = this.#step;
    if (step === undefined) return;
    step.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: getTypeParser(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.#rows.push(fields);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const step = this.#step;
    if (step === undefined) return;
    // One without rows has not been described.
    step.columns ??= [];
    this.#answers.push({ columns: step.columns, rows: this.#rows, completion: text });
    this.#rows = [];
  }

  handleReadyForQuery(): void {
    this.#handlers.resolve(this.#answers);
  }

  handleError(cause: unknown): void {
    // The server may not have parsed them.
    for (const text of this.#parsed) this.#known.remove(text);
    this.#handlers.reject(cause);
  }
}

/** A value as PostgreSQL reads it: bytes as they are, all else as text. */
function toWire(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return `{${value.map(toElement).join(",")}}`;
  return String(value);
}

function toElement(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString("hex")}"`;
  return typeof value === "number" ? String(value) : `"${String(value).replace(/["\\]/g, "\\$&")}"`;
}

/** The 64-bit columns hold milliseconds, counts and micro-USD: all are safe integers. */
export function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as "text");
}
