// Kysely's PostgreSQL dialect, with the introspection of its migrator limited to the connection's own schema.

import type { TableMetadata } from "kysely";
import { type DatabaseIntrospector, type Kysely, PostgresDialect, type SchemaMetadata, sql } from "kysely";
import type { Database } from "./tables.ts";

/**
 * Kysely's introspection reads the tables of every schema of the database, and fails when any of them is dropped at the same
 * time. This one reads the names in the connection's own schema.
 */
export class OwnSchemaDialect extends PostgresDialect {
  override createIntrospector(db: Kysely<Database>): DatabaseIntrospector {
    const getSchemas = async (): Promise<SchemaMetadata[]> => {
      const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
      return rows;
    };
    const getTables = async (): Promise<TableMetadata[]> => {
      const { rows } = await sql<{ name: string; schema: string }>`
        select tablename as name, schemaname as schema from pg_tables where schemaname = current_schema()
      `.execute(db);
      return rows.map((row) => ({ ...row, isView: false, columns: [] }));
    };
    return { getSchemas, getTables, getMetadata: async () => ({ tables: await getTables() }) };
  }
}
