// The time of a test's PostgreSQL as a service asks for it, moved on by the test: what a process held that was killed runs out.

import type { StorePlace } from "../stores/stores.ts";

export type DatabaseClock = {
  /** Make a service ask for it. */
  readonly settings: Readonly<Record<string, string>>;
  advance(ms: number): Promise<void>;
};

/** A function of the test's schema in front of PostgreSQL's own. */
export async function openDatabaseClock(place: StorePlace, databaseUrl: string): Promise<DatabaseClock> {
  const [row] = await place.query("select current_schema() as schema");
  const schema = String(row?.schema);
  let aheadMs = 0;
  const advance = async (ms: number) => {
    aheadMs += ms;
    await place.query(
      `create or replace function ${schema}.clock_timestamp() returns timestamptz language sql volatile
      as $$ select pg_catalog.clock_timestamp() + interval '${aheadMs} milliseconds' $$`,
    );
  };
  await advance(0);
  const url = new URL(databaseUrl);
  const options = url.searchParams.get("options") ?? "";
  url.searchParams.set(
    "options",
    options.replace(`search_path=${schema}`, `search_path=${schema},pg_catalog`),
  );
  return { settings: { DATABASE_URL: url.href }, advance };
}
