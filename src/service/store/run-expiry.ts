// The end of what runs were asked and what they said, in SQL.

import { type Kysely, sql } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import type { Database } from "./tables.ts";

const MAX_RUNS = 100;

type Candidate = { readonly id: string; readonly lastSeq: number };

export function runExpiryQueries(
  db: Kysely<Database>,
  options: { rowLocks: boolean },
): Pick<StoreTransaction, "deleteRunContent"> {
  return {
    deleteRunContent: async ({ endedBefore, maxEvents }) => {
      const query = db
        .selectFrom("runs")
        .select(["id", "last_seq as lastSeq"])
        .where(sql<boolean>`content <> 'deleted' and ended_at is not null`)
        .where("ended_at", "<", endedBefore)
        .orderBy("ended_at")
        .orderBy("id")
        .limit(MAX_RUNS);
      // Another node that sweeps at the same time takes the runs after these.
      const runs = await (options.rowLocks ? query.forUpdate().skipLocked() : query).execute();
      const [first] = runs;
      if (first === undefined) return 0;
      const whole = firstOf(runs, maxEvents);
      if (whole.length === 0) {
        await deletePart(db, { run: first, maxEvents });
        return 1;
      }
      await deleteWhole(db, whole);
      return whole.length;
    },
  };
}

/** As many from the beginning as have no more events than that. */
function firstOf(runs: readonly Candidate[], maxEvents: number): string[] {
  const ids: string[] = [];
  let events = 0;
  for (const { id, lastSeq } of runs) {
    events += lastSeq;
    if (events > maxEvents) break;
    ids.push(id);
  }
  return ids;
}

async function deleteWhole(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  await db.deleteFrom("run_inputs").where("run_id", "in", ids).execute();
  await db.deleteFrom("run_events").where("run_id", "in", ids).execute();
  await db.deleteFrom("session_copies").where("run_id", "in", ids).execute();
  await db.updateTable("runs").set({ content: "deleted" }).where("id", "in", ids).execute();
}

/** The input and the oldest events, of a run that has too many for one step. */
async function deletePart(
  db: Kysely<Database>,
  { run, maxEvents }: { run: Candidate; maxEvents: number },
): Promise<void> {
  await db.deleteFrom("run_inputs").where("run_id", "=", run.id).execute();
  const oldest = await db
    .selectFrom("run_events")
    .select("seq")
    .where("run_id", "=", run.id)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  const upTo = (oldest?.seq ?? run.lastSeq) + maxEvents - 1;
  await db.deleteFrom("run_events").where("run_id", "=", run.id).where("seq", "<=", upTo).execute();
  const content = upTo < run.lastSeq ? "deleting" : "deleted";
  await db.updateTable("runs").set({ content }).where("id", "=", run.id).execute();
}
