// Copies of workspaces' files in SQL.

import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import { COPY_HOLD_MS, type Copy, copyStates, type Holder } from "../../core/workspaces/copies/copy.ts";
import type { CopyPage, CopyStore } from "../../core/workspaces/copies/store-port.ts";
import type { Connection } from "../connection.ts";
import { type KeptQueryRunner, keepQuery } from "../kept-query.ts";
import { row, type TableOf } from "../row.ts";
import { flag, integer, nullable, oneOf, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";
import { actor } from "./actor.ts";

export const copyRow = row<Omit<Copy, "hold">>("copies")(
  {
    id: text,
    workspaceId: text,
    isCanonical: flag,
    state: oneOf(copyStates),
    baseRevisionId: text,
    baseTreeOid: text,
    savedRevisionId: nullable(text),
    createdBy: actor,
    createdAt: integer,
  },
  /** Its hold, whose end is by the store's time. */
  { heldByRunId: nullable(text), heldFence: nullable(integer), heldUntil: nullable(integer) },
);

type CopiesTable = TableOf<typeof copyRow>;

const nobody = { heldByRunId: null, heldFence: null, heldUntil: null };
const free = { held_by_run_id: null, held_fence: null, held_until: null };

declare module "../tables.ts" {
  interface Database {
    copies: TableOf<typeof copyRow>;
  }
}

export class SqlCopies implements CopyStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #hasRowLocks: boolean;
  readonly #leaseNow: () => Promise<number>;

  constructor({ db, ask, hasRowLocks, leaseNow }: Connection) {
    this.#db = db;
    this.#ask = ask;
    this.#hasRowLocks = hasRowLocks;
    this.#leaseNow = leaseNow;
  }

  async find(id: string): Promise<Copy | null> {
    const [row] = await this.#ask(copyOfId, { id });
    return await this.#seen(row);
  }

  async findCanonical(workspaceId: string): Promise<Copy | null> {
    const [row] = await this.#ask(canonicalCopyOf, { workspaceId });
    return await this.#seen(row);
  }

  async list({ workspaceId, state, before, limit }: CopyPage): Promise<readonly Copy[]> {
    const now = await this.#leaseNow();
    let query = this.#db.selectFrom("copies").selectAll().where("workspace_id", "=", workspaceId);
    if (state !== null) query = query.where("state", "=", state === "deleting" ? "deleting" : "ready");
    if (state === "held") query = query.where(({ not }) => not(isFree(now)));
    if (state === "ready") query = query.where(isFree(now));
    if (before !== null) query = query.where("id", "<", before);
    const copies: Copy[] = [];
    for (const row of await query.orderBy("id", "desc").limit(limit).execute())
      copies.push(await this.#toCopy(row, now));
    return copies;
  }

  async countChanges(copyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (copyIds.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom("copy_entries")
      .select(({ fn }) => ["copy_id", fn.countAll().as("entries")])
      .where("copy_id", "in", copyIds)
      .groupBy("copy_id")
      .execute();
    return new Map(rows.map(({ copy_id: copyId, entries }) => [copyId, Number(entries)]));
  }

  async insert(copy: Omit<Copy, "hold">): Promise<void> {
    await this.#db.insertInto("copies").values(copyRow.write(copy, nobody)).execute();
  }

  async rebase(move: { id: string; baseRevisionId: string; baseTreeOid: string }): Promise<void> {
    const { id, baseRevisionId, baseTreeOid } = move;
    await this.#db
      .updateTable("copies")
      .set({
        base_revision_id: baseRevisionId,
        base_tree_oid: baseTreeOid,
        saved_revision_id: baseRevisionId,
      })
      .where("id", "=", id)
      .execute();
  }

  async markDeleting(id: string): Promise<void> {
    await this.#db.updateTable("copies").set({ state: "deleting" }).where("id", "=", id).execute();
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom("copies").where("id", "=", id).execute();
  }

  async findUnfinishedRun(copyId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("workspace_runs")
      .innerJoin("runs", "runs.id", "workspace_runs.run_id")
      .select("run_id")
      .where("copy_id", "=", copyId)
      .where("runs.ended_at", "is", null)
      .orderBy("run_id")
      .executeTakeFirst();
    return row?.run_id ?? null;
  }

  async lock(id: string): Promise<Copy | null> {
    const query = this.#db.selectFrom("copies").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return await this.#seen(row);
  }

  async hold(copyId: string, { runId, fence }: Holder): Promise<void> {
    const until = (await this.#leaseNow()) + COPY_HOLD_MS;
    await this.#db
      .updateTable("copies")
      .set({ held_by_run_id: runId, held_fence: fence, held_until: until })
      .where("id", "=", copyId)
      .execute();
  }

  async renewHold(copyId: string, { runId, fence }: Holder): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("copies")
      .set({ held_until: (await this.#leaseNow()) + COPY_HOLD_MS })
      .where("id", "=", copyId)
      .where("held_by_run_id", "=", runId)
      .where("held_fence", "=", fence)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async release(copyId: string, { runId, fence }: Holder): Promise<void> {
    await this.#db
      .updateTable("copies")
      .set(free)
      .where("id", "=", copyId)
      .where("held_by_run_id", "=", runId)
      .where("held_fence", "=", fence)
      .execute();
  }

  async releaseAll(): Promise<number> {
    const { numUpdatedRows } = await this.#db
      .updateTable("copies")
      .set(free)
      .where("held_by_run_id", "is not", null)
      .where(({ not }) => not(isOfRunAtWork))
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  async share(id: string): Promise<Copy | null> {
    const [row] = await this.#ask(this.#hasRowLocks ? sharedCopyOfId : copyOfId, { id });
    return await this.#seen(row);
  }

  /** The time is asked only where somebody holds the copy. */
  async #seen(row: CopiesTable | undefined): Promise<Copy | null> {
    if (row === undefined) return null;
    return await this.#toCopy(row, row.held_by_run_id === null ? 0 : await this.#leaseNow());
  }

  async #toCopy(row: CopiesTable, now: number): Promise<Copy> {
    const { id, held_by_run_id: runId, held_fence: fence, held_until: until } = row;
    const isOver = runId !== null && isLeaseOver(until ?? 0, now);
    const hasExpired = isOver && !(await this.#waitsForWorker(id));
    const hold = runId === null ? null : { runId, fence: fence ?? 0, hasExpired };
    return { ...copyRow.read(row), hold };
  }

  async #waitsForWorker(copyId: string): Promise<boolean> {
    const query = this.#db.selectFrom("copies").select("id").where("id", "=", copyId).where(isOfRunAtWork);
    return (await query.executeTakeFirst()) !== undefined;
  }
}

const copyOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("copies").selectAll().where("id", "=", id),
);
const canonicalCopyOf = keepQuery<{ workspaceId: string }>("workspaceId")((db, { workspaceId }) =>
  db
    .selectFrom("workspaces")
    .innerJoin("copies", "copies.id", "workspaces.canonical_copy_id")
    .selectAll("copies")
    .where("workspaces.id", "=", workspaceId),
);
const sharedCopyOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("copies").selectAll().where("id", "=", id).forShare(),
);

/** Its holder is a run whose journal another worker goes on from: it has the copy until it ends, or is parked. */
const isOfRunAtWork = sql<boolean>`exists (
  select 1 from runs where runs.id = copies.held_by_run_id and runs.ended_at is null and runs.parked is null
    and exists (select 1 from run_journal where run_journal.run_id = runs.id)
)`;

/** Nobody holds it. */
function isFree(now: number) {
  return ({ eb, or, and, not }: ExpressionBuilder<Database, "copies">) =>
    or([
      eb("held_until", "is", null),
      and([or([eb("held_until", "<=", now), eb("held_until", ">", now + COPY_HOLD_MS)]), not(isOfRunAtWork)]),
    ]);
}

/** A lease that ends later than any could was written before the store's time was set back. */
function isLeaseOver(until: number, now: number): boolean {
  return until <= now || until > now + COPY_HOLD_MS;
}
