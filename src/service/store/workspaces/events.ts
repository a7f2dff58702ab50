// Events of workspaces, in SQL: the latest of each, numbered without a gap.

import { type Kysely, sql } from "kysely";
import {
  KEPT_WORKSPACE_EVENTS,
  type MovedThing,
  type WorkspaceMove,
  workspaceMoves,
} from "../../../contract/workspaces/workspace-events.ts";
import type { WorkspaceEventStore } from "../../core/workspace-events/store-port.ts";
import type { StoredWorkspaceEvent } from "../../core/workspace-events/workspace-event.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, named, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

type StoredMove = { readonly what: string; readonly id: string; readonly state: string };

/** The latest of a workspace. */
export const eventRow = row<StoredMove & { readonly seq: number; readonly at: number }>("workspace_events")(
  { seq: integer, at: integer, what: text, id: named("subject_id", text), state: text },
  { workspaceId: text },
);

/** The count of a workspace's events. */
export const feedRow = row<{ readonly workspaceId: string; readonly lastSeq: number }>("workspace_feeds")({
  workspaceId: text,
  lastSeq: integer,
});

declare module "../tables.ts" {
  interface Database {
    workspace_events: TableOf<typeof eventRow>;
    workspace_feeds: TableOf<typeof feedRow>;
  }
}

export class SqlWorkspaceEvents implements WorkspaceEventStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async list({
    workspaceId,
    after,
    limit,
  }: {
    workspaceId: string;
    after: number;
    limit: number;
  }): Promise<readonly StoredWorkspaceEvent[]> {
    const rows = await this.#db
      .selectFrom("workspace_events")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("seq", ">", after)
      .orderBy("seq")
      .limit(limit)
      .execute();
    return rows.map((found) => {
      const { seq, at, ...move } = eventRow.read(found);
      return { seq, at, ...moveOf(move) };
    });
  }

  async ends(workspaceId: string): Promise<{ first: number; last: number }> {
    const row = await this.#db
      .selectFrom("workspace_events")
      .select(({ fn }) => [fn.min("seq").as("first"), fn.max("seq").as("last")])
      .where("workspace_id", "=", workspaceId)
      .executeTakeFirst();
    return { first: Number(row?.first ?? 0), last: Number(row?.last ?? 0) };
  }

  async append({
    workspaceId,
    moves,
    now,
  }: {
    workspaceId: string;
    moves: readonly WorkspaceMove[];
    now: number;
  }): Promise<void> {
    if (moves.length === 0) return;
    // Its row is held until the commit: numbers are in the order of commits, and a reader meets no gap.
    const { last_seq: last } = await this.#db
      .insertInto("workspace_feeds")
      .values(feedRow.write({ workspaceId, lastSeq: moves.length }))
      .onConflict((conflict) =>
        conflict
          .column("workspace_id")
          .doUpdateSet({ last_seq: sql`workspace_feeds.last_seq + excluded.last_seq` }),
      )
      .returning("last_seq")
      .executeTakeFirstOrThrow();
    await this.#db
      .insertInto("workspace_events")
      .values(
        moves.map((move, index) =>
          eventRow.write({ ...move, seq: last - moves.length + index + 1, at: now }, { workspaceId }),
        ),
      )
      .execute();
    await this.#db
      .deleteFrom("workspace_events")
      .where("workspace_id", "=", workspaceId)
      .where("seq", "<=", last - KEPT_WORKSPACE_EVENTS)
      .execute();
  }
}

/** Throws on what no version of this service wrote. */
function moveOf({ what, id, state }: StoredMove): WorkspaceMove {
  const states: readonly string[] | undefined = workspaceMoves[what as MovedThing];
  if (states?.includes(state) !== true)
    throw new TypeError(`Columns workspace_events.what and .state hold "${what}" and "${state}".`);
  return { what, id, state } as WorkspaceMove;
}
