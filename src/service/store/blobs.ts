// Rows of blobs, in SQL.

import { type Kysely, sql } from "kysely";
import { BACKUP_HOLD, HOLD_MS } from "../core/blobs/held-deletions.ts";
import type { BlobRowStore } from "../core/blobs/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

type BlobRecord = {
  readonly key: string;
  /** Known once it is kept. */
  readonly bytes: number | null;
  readonly state: (typeof states)[number];
  readonly changedAt: number;
  /** When it was found missing or damaged. */
  readonly lostAt: number | null;
};

const states = ["unfinished", "kept", "discarded"] as const;

export const blobRow = row<BlobRecord>("blobs")({
  key: text,
  bytes: nullable(integer),
  state: oneOf(states),
  changedAt: integer,
  lostAt: nullable(integer),
});

declare module "./tables.ts" {
  interface Database {
    blobs: TableOf<typeof blobRow>;
  }
}

export class SqlBlobs implements BlobRowStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async listDiscarded(limit: number, folder = ""): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("blobs")
      .select("key")
      .where("state", "=", "discarded")
      .$if(folder !== "", (query) => query.where("key", "like", `${folder}%`))
      .orderBy("changed_at")
      .orderBy("key")
      .limit(limit)
      .execute();
    return rows.map(({ key }) => key);
  }

  async countLeft(folder: string): Promise<number> {
    const { left } = await this.#db
      .selectFrom("blobs")
      .select(({ fn }) => fn.countAll<string | number>().as("left"))
      .where("state", "in", ["unfinished", "discarded"])
      .where("key", "like", `${folder}%`)
      .executeTakeFirstOrThrow();
    return Number(left);
  }

  async sampleKept(limit: number) {
    const ofKept = this.#db.selectFrom("blobs").where("state", "=", "kept");
    const { kept } = await ofKept
      .select((fields) => fields.fn.countAll<number | string>().as("kept"))
      .executeTakeFirstOrThrow();
    const some = ofKept.select(["key", "bytes"]).limit(Math.ceil(limit / 2));
    const newest = await some.orderBy("changed_at", "desc").execute();
    const oldest = await some.orderBy("changed_at").execute();
    const sample = new Map([...newest, ...oldest].map(({ key, bytes }) => [key, Number(bytes ?? 0)]));
    return { kept: Number(kept), sample: [...sample].map(([key, bytes]) => ({ key, bytes })) };
  }

  async isDeletionHeld(): Promise<boolean> {
    const now = this.#hasRowLocks
      ? sql<number>`extract(epoch from now()) * 1000`
      : sql<number>`unixepoch() * 1000`;
    const found = await this.#db
      .selectFrom("service_secrets")
      .select("name")
      .where("name", "=", BACKUP_HOLD)
      .where(sql<boolean>`created_at > ${now} - ${sql.lit(HOLD_MS)}`)
      .executeTakeFirst();
    return found !== undefined;
  }

  async isLost(key: string): Promise<boolean> {
    const found = await this.#db
      .selectFrom("blobs")
      .select("key")
      .where("key", "=", key)
      .where("lost_at", "is not", null)
      .executeTakeFirst();
    return found !== undefined;
  }

  async markLost({ key, lostAt }: { key: string; lostAt: number | null }): Promise<void> {
    await this.#db.updateTable("blobs").set({ lost_at: lostAt }).where("key", "=", key).execute();
  }

  async begin({ keys, now }: { keys: readonly string[]; now: number }): Promise<void> {
    const begun = { bytes: null, state: "unfinished", changedAt: now, lostAt: null } as const;
    const rows = keys.map((key) => blobRow.write({ key, ...begun }));
    if (rows.length > 0) await this.#db.insertInto("blobs").values(rows).execute();
  }

  async keep({ key, bytes, now }: { key: string; bytes: number; now: number }): Promise<boolean> {
    const rows = await this.#db
      .updateTable("blobs")
      .set({ state: "kept", bytes, changed_at: now })
      .where("key", "=", key)
      .where("state", "<>", "discarded")
      .returning("key")
      .execute();
    return rows.length === 1;
  }

  async discard({ keys, now }: { keys: readonly string[]; now: number }): Promise<void> {
    if (keys.length === 0) return;
    await this.#db
      .updateTable("blobs")
      .set({ state: "discarded", changed_at: now })
      .where("key", "in", keys)
      .where("state", "<>", "discarded")
      .execute();
  }

  async discardUnfinished(step: { begunBefore: number; now: number; limit: number }): Promise<number> {
    const query = this.#db
      .selectFrom("blobs")
      .select("key")
      .where("state", "=", "unfinished")
      .where("changed_at", "<", step.begunBefore)
      .orderBy("changed_at")
      .limit(step.limit);
    const rows = await (this.#hasRowLocks ? query.forUpdate().skipLocked() : query).execute();
    await this.discard({ keys: rows.map(({ key }) => key), now: step.now });
    return rows.length;
  }

  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#db.deleteFrom("blobs").where("key", "in", keys).where("state", "=", "discarded").execute();
  }
}
