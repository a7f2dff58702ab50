import pg from "pg";
import type { PostgresCluster } from "../../../scripts/postgres-cluster.ts";
import { openPostgresStore } from "../../../src/service/store/postgres.ts";
import type { StorePlace } from "./stores.ts";

/** A cluster as a place for one store: nothing else lives in it. */
export function clusterPlace(cluster: PostgresCluster): StorePlace {
  return {
    settings: { dataDir: cluster.folder, databaseUrl: cluster.url },
    open: (clock) => openPostgresStore({ url: cluster.url, clock }),
    query: async (sql) => {
      const client = new pg.Client({ connectionString: cluster.url });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows;
      } finally {
        await client.end();
      }
    },
    remove: () => cluster.close(),
  };
}
