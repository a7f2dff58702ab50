// The place of a restored store on PostgreSQL: one transaction, which leaves what is there as it was until it ends.

import {
  Kysely,
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from "kysely";
import type pg from "pg";
import type { Cell, FilledTable, SnapshotRow, StorePlace } from "../../core/ports/store-snapshot.ts";
import { knownMigrations, migrateWithin } from "../migrate.ts";
import { takeFromNodes } from "../node-locks.ts";
import { OwnSchemaDialect } from "../postgres-dialect.ts";
import type { Database } from "../tables.ts";
import { ownTables } from "./own-tables.ts";
import { connectPatiently, readShapes } from "./postgres-snapshot.ts";
import { MIGRATION_TABLES, quoted } from "./snapshot-queries.ts";

/** PostgreSQL binds at most 65,535 values. */
const MAX_VALUES = 20_000;
const MAX_BYTES = 4_000_000;

/** Until it is closed no node starts. Rejects with an OperatorError while nodes serve from the database. */
export async function openPostgresPlace(url: string): Promise<StorePlace> {
  const client = await connectPatiently(url);
  try {
    await takeFromNodes(client);
  } catch (cause) {
    await client.end();
    throw cause;
  }
  return {
    engine: "postgresql",
    findFilledTable: () => findFilled(client),
    fill: async ({ newestMigration, tables }) => {
      await client.query("begin");
      try {
        for (const name of [...(await ownNames(client)), ...MIGRATION_TABLES])
          await client.query(`drop table if exists ${quoted(name)}`);
        const { rows } = await client.query<{ schema: string }>("select current_schema() as schema");
        const schema = rows[0]?.schema ?? "public";
        const db = kyselyOn(client);
        await migrateWithin(db, { newest: newestMigration, schema });
        for (const table of tables) await insertRows(client, table);
        await migrateWithin(db, { newest: knownMigrations.at(-1) ?? newestMigration, schema });
        await client.query("commit");
      } catch (cause) {
        await client.query("rollback").catch(() => {});
        throw cause;
      }
    },
    close: () => client.end(),
  };
}

async function ownNames(client: pg.Client): Promise<readonly string[]> {
  return (await readShapes(client)).map(({ name }) => name).filter((name) => ownTables.has(name));
}

async function findFilled(client: pg.Client): Promise<string | null> {
  for (const name of await ownNames(client)) {
    if ((await client.query(`select 1 from ${quoted(name)} limit 1`)).rows.length > 0) return name;
  }
  return null;
}

async function insertRows(client: pg.Client, { shape, rows }: FilledTable): Promise<void> {
  const { name, columns } = shape;
  const into = `insert into ${quoted(name)} (${columns.map(quoted).join(", ")}) values `;
  const insert = async (some: readonly SnapshotRow[]) => {
    if (some.length === 0) return;
    const places = some.map(
      (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(", ")})`,
    );
    const values: Cell[] = some.flat();
    await client.query(into + places.join(", "), values);
  };
  let waiting: SnapshotRow[] = [];
  let bytes = 0;
  for await (const some of rows()) {
    for (const row of some) {
      waiting.push(row);
      bytes += row.reduce<number>((sum, cell) => sum + sizeOf(cell), 0);
      if (waiting.length * columns.length < MAX_VALUES && bytes < MAX_BYTES) continue;
      await insert(waiting);
      waiting = [];
      bytes = 0;
    }
  }
  await insert(waiting);
}

function sizeOf(cell: Cell): number {
  return cell === null || typeof cell === "number" ? 8 : cell.length;
}

/** Every query on the one connection, whose transaction is not Kysely's. */
function kyselyOn(client: pg.Client): Kysely<Database> {
  const pool: PostgresPool = { connect: async () => new OneConnection(client), end: async () => {} };
  return new Kysely<Database>({ dialect: new OwnSchemaDialect({ pool }) });
}

class OneConnection implements PostgresPoolClient {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  query<SnapshotRow>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<SnapshotRow>>;
  query<SnapshotRow>(cursor: PostgresCursor<SnapshotRow>): PostgresCursor<SnapshotRow>;
  query<SnapshotRow>(
    asked: string | PostgresCursor<SnapshotRow>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<SnapshotRow>> | PostgresCursor<SnapshotRow> {
    if (typeof asked !== "string") throw new TypeError("Cursors are not used here.");
    return this.#send<SnapshotRow>(asked, values);
  }

  release(): void {}

  async #send<SnapshotRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<PostgresQueryResult<SnapshotRow>> {
    const answer = await this.#client.query<SnapshotRow & pg.QueryResultRow>(text, [...values]);
    const command = answer.command as PostgresQueryResult<SnapshotRow>["command"];
    return { command, rowCount: answer.rowCount ?? 0, rows: answer.rows };
  }
}
