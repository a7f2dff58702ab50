// Packs that jobs have sent, in SQL.

import { type Kysely, type Selectable, sql } from "kysely";
import * as z from "zod/mini";
import type { HeldPack, RepositoryKey } from "../core/commits/held-pack.ts";
import type { OldPack, PackStore, Reservation } from "../core/ports/store/packs.ts";
import { SqlBlobs } from "./blobs.ts";
import type { Connection } from "./connection.ts";
import { type Ask, keepQuery } from "./kept-query.ts";
import type { Database, PacksTable } from "./tables.ts";

export class SqlPacks implements PackStore {
  readonly #db: Kysely<Database>;
  readonly #ask: Ask;
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
    await this.#db
      .insertInto("packs")
      .values({
        id,
        issuer: repository.issuer,
        repository_id: repository.id,
        tip: null,
        shallow: "[]",
        bases: "[]",
        objects: 0,
        bytes,
        pack_key: packKey,
        pack_bytes: 0,
        pack_sha256: "",
        index_key: indexKey,
        index_bytes: 0,
        index_sha256: "",
        created_at: now,
        used_at: now,
      })
      .execute();
  }

  async hold(held: HeldPack): Promise<boolean> {
    const { pack, index, usedAt: now } = held;
    const rows = await this.#db
      .updateTable("packs")
      .set({
        tip: held.tip,
        shallow: JSON.stringify(held.shallow),
        bases: JSON.stringify(held.bases),
        objects: held.objects,
        bytes: held.bytes,
        pack_bytes: pack.bytes,
        pack_sha256: pack.sha256,
        index_bytes: index.bytes,
        index_sha256: index.sha256,
        created_at: held.createdAt,
        used_at: now,
      })
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
      ...{ id, tip, bytes, bases: parseNames(bases), usedAt: used_at },
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

const namesSchema = z.array(z.string());

function parseNames(text: string): readonly string[] {
  return namesSchema.parse(JSON.parse(text));
}

function toPack(row: Selectable<PacksTable>): HeldPack {
  if (row.tip === null) throw new TypeError(`Pack ${row.id} is not held yet.`);
  return {
    id: row.id,
    repository: { issuer: row.issuer, id: row.repository_id },
    tip: row.tip,
    shallow: parseNames(row.shallow),
    bases: parseNames(row.bases),
    objects: row.objects,
    bytes: row.bytes,
    pack: { key: row.pack_key, bytes: row.pack_bytes, sha256: row.pack_sha256 },
    index: { key: row.index_key, bytes: row.index_bytes, sha256: row.index_sha256 },
    createdAt: row.created_at,
    usedAt: row.used_at,
  };
}
