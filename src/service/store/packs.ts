// Packs that jobs have sent, in SQL.

import { type Kysely, sql } from "kysely";
import type { HeldPack, RepositoryKey } from "../core/commits/held-pack.ts";
import type { OldPack, PackStore, Reservation } from "../core/commits/store-port.ts";
import { SqlBlobs } from "./blobs.ts";
import { parseNames } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { group, row, type TableOf } from "./row.ts";
import { integer, json, named, nullable, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

/** `tip` is null while the pack is being sent: what is in it is unknown then, and `bytes` is what was announced. */
type StoredPack = Omit<HeldPack, "tip"> & { readonly tip: string | null };

export const packRow = row<StoredPack>("packs")({
  id: text,
  repository: group({ issuer: text, id: named("repository_id", text) }),
  tip: nullable(text),
  shallow: json(parseNames),
  bases: json(parseNames),
  objects: integer,
  bytes: integer,
  pack: group({
    key: named("pack_key", text),
    bytes: named("pack_bytes", integer),
    sha256: named("pack_sha256", text),
  }),
  index: group({
    key: named("index_key", text),
    bytes: named("index_bytes", integer),
    sha256: named("index_sha256", text),
  }),
  createdAt: integer,
  usedAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    packs: TableOf<typeof packRow>;
  }
}

export class SqlPacks implements PackStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #hasRowLocks: boolean;
  readonly #blobs: SqlBlobs;

  constructor(connection: Connection) {
    this.#db = connection.db;
    this.#ask = connection.ask;
    this.#hasRowLocks = connection.hasRowLocks;
    this.#blobs = new SqlBlobs(connection);
  }

  async findHeld({ repository, tip }: { repository: RepositoryKey; tip: string }): Promise<HeldPack | null> {
    const [row] = await this.#ask(packOfTip, { issuer: repository.issuer, id: repository.id, tip });
    return row === undefined ? null : toPack(row);
  }

  async listHeld({
    repository,
    limit,
  }: {
    repository: RepositoryKey;
    limit: number;
  }): Promise<readonly HeldPack[]> {
    const rows = await this.#of(repository)
      .selectAll()
      .where("tip", "is not", null)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    return rows.map(toPack);
  }

  async listByIds({
    repository,
    ids,
  }: {
    repository: RepositoryKey;
    ids: readonly string[];
  }): Promise<readonly HeldPack[]> {
    if (ids.length === 0) return [];
    const rows = await this.#of(repository)
      .selectAll()
      .where("id", "in", ids)
      .where("tip", "is not", null)
      .execute();
    return rows.map(toPack);
  }

  async countBytes(repository: RepositoryKey): Promise<number> {
    const { bytes } = await this.#of(repository)
      .select((fields) => fields.fn.sum<number | string | null>("bytes").as("bytes"))
      .executeTakeFirstOrThrow();
    return Number(bytes ?? 0);
  }

  async reserve({ id, repository, bytes, packKey, indexKey, now }: Reservation): Promise<void> {
    await this.#blobs.begin({ keys: [packKey, indexKey], now });
    const unknown = { bytes: 0, sha256: "" };
    const [pack, index] = [
      { key: packKey, ...unknown },
      { key: indexKey, ...unknown },
    ];
    const sending = { tip: null, shallow: [], bases: [], objects: 0 };
    await this.#db
      .insertInto("packs")
      .values(packRow.write({ id, repository, bytes, pack, index, ...sending, createdAt: now, usedAt: now }))
      .execute();
  }

  async hold(held: HeldPack): Promise<boolean> {
    const { id: _id, repository: _repository, ...columns } = held;
    const { pack, index, usedAt: now } = held;
    const rows = await this.#db
      .updateTable("packs")
      .set(packRow.change(columns))
      .where("id", "=", held.id)
      .where("tip", "is", null)
      .returning("id")
      .execute();
    if (rows.length === 0) return false;
    const isKept = await this.#blobs.keep({ ...pack, now });
    return (await this.#blobs.keep({ ...index, now })) && isKept;
  }

  async touch({ ids, now }: { ids: readonly string[]; now: number }): Promise<boolean> {
    if (ids.length === 0) return true;
    const rows = await this.#db
      .updateTable("packs")
      // The clock of another node may be ahead.
      .set({ used_at: sql<number>`case when used_at < ${now} then ${now} else used_at end` })
      .where("id", "in", ids)
      .where("tip", "is not", null)
      .returning("id")
      .execute();
    return rows.length === ids.length;
  }

  async listOldest(repository: RepositoryKey): Promise<readonly OldPack[]> {
    const rows = await this.#of(repository)
      .select(["id", "tip", "bases", "bytes", "used_at"])
      .orderBy("used_at")
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute();
    return rows.map(({ id, tip, bases, bytes, used_at }) => ({
      id,
      tip,
      bytes,
      bases: packRow.readField("bases", bases),
      usedAt: used_at,
    }));
  }

  async delete({ ids, now }: { ids: readonly string[]; now: number }): Promise<void> {
    if (ids.length === 0) return;
    const rows = await this.#db
      .deleteFrom("packs")
      .where("id", "in", ids)
      .returning(["pack_key", "index_key"])
      .execute();
    await this.#blobs.discard({ keys: rows.flatMap((row) => [row.pack_key, row.index_key]), now });
  }

  async deleteUnused(step: {
    usedBefore: number;
    begunBefore: number;
    now: number;
    limit: number;
  }): Promise<number> {
    const { usedBefore, begunBefore, now, limit } = step;
    const query = this.#db
      .selectFrom("packs")
      .select("id")
      .where((is) =>
        is.or([
          is.and([is("tip", "is not", null), is("used_at", "<", usedBefore)]),
          is.and([is("tip", "is", null), is("used_at", "<", begunBefore)]),
        ]),
      )
      .orderBy("used_at")
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(limit);
    const rows = await (this.#hasRowLocks ? query.forUpdate().skipLocked() : query).execute();
    await this.delete({ ids: rows.map(({ id }) => id), now });
    return rows.length;
  }

  #of({ issuer, id }: RepositoryKey) {
    return this.#db.selectFrom("packs").where("issuer", "=", issuer).where("repository_id", "=", id);
  }
}

const packOfTip = keepQuery<{ issuer: string; id: string; tip: string }>(
  "issuer",
  "id",
  "tip",
)((db, { issuer, id, tip }) =>
  db
    .selectFrom("packs")
    .selectAll()
    .where("issuer", "=", issuer)
    .where("repository_id", "=", id)
    .where("tip", "=", tip)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1),
);

function toPack(found: TableOf<typeof packRow>): HeldPack {
  const { tip, ...pack } = packRow.read(found);
  if (tip === null) throw new TypeError(`Pack ${pack.id} is not held yet.`);
  return { ...pack, tip };
}
