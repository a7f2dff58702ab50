// Git's objects of workspaces in SQL.

import type { Kysely } from "kysely";
import type { KeptObject, NewObject, ObjectStore } from "../../core/ports/store/workspaces/objects.ts";
import { objectKinds } from "../../core/workspaces/objects/object-kind.ts";
import { oneOf } from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";

/** Databases bind a bounded number of values. */
const ROWS_A_STATEMENT = 500;

type Named = { readonly workspaceId: string; readonly oids: readonly string[] };

export class SqlObjects implements ObjectStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find({ workspaceId, oids }: Named): Promise<readonly KeptObject[]> {
    const found: KeptObject[] = [];
    for (const part of partsOf(oids)) {
      const rows = await this.#db
        .selectFrom("workspace_objects")
        .select(["oid", "kind", "size", "data", "blob_key"])
        .where("workspace_id", "=", workspaceId)
        .where("oid", "in", part)
        .execute();
      for (const { oid, kind, size, data, blob_key: blobKey } of rows)
        found.push({ oid, kind: oneOf(objectKinds, kind, "workspace_objects.kind"), size, data, blobKey });
    }
    return found;
  }

  async sizes({ workspaceId, oids }: Named): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    for (const part of partsOf(oids)) {
      const rows = await this.#db
        .selectFrom("workspace_objects")
        .select(["oid", "size"])
        .where("workspace_id", "=", workspaceId)
        .where("oid", "in", part)
        .execute();
      for (const { oid, size } of rows) sizes.set(oid, size);
    }
    return sizes;
  }

  async put(given: {
    workspaceId: string;
    objects: readonly NewObject[];
    now: number;
  }): Promise<readonly string[]> {
    const { workspaceId, now } = given;
    // In one order: two transactions never wait for each other. Once each: a statement meets a row once.
    const objects = [...new Map(given.objects.map((object) => [object.oid, object])).values()].sort(byOid);
    const others: string[] = [];
    for (const part of partsOf(objects)) {
      const rows = await this.#db
        .insertInto("workspace_objects")
        .values(part.map((object) => toRow(object, workspaceId, now)))
        .onConflict((conflict) =>
          conflict
            .columns(["workspace_id", "oid"])
            .doUpdateSet({ touched_at: now })
            .whereRef("workspace_objects.sha256", "=", "excluded.sha256"),
        )
        .returning("oid")
        .execute();
      const kept = new Set(rows.map(({ oid }) => oid));
      others.push(...part.map(({ oid }) => oid).filter((oid) => !kept.has(oid)));
    }
    return others;
  }

  async touch({ workspaceId, oids, now }: Named & { now: number }): Promise<readonly string[]> {
    const absent: string[] = [];
    for (const part of partsOf([...new Set(oids)].sort())) {
      const rows = await this.#db
        .updateTable("workspace_objects")
        .set({ touched_at: now })
        .where("workspace_id", "=", workspaceId)
        .where("oid", "in", part)
        .returning("oid")
        .execute();
      const kept = new Set(rows.map(({ oid }) => oid));
      absent.push(...part.filter((oid) => !kept.has(oid)));
    }
    return absent;
  }
}

function toRow({ oid, kind, size, sha256, data, blobKey }: NewObject, workspaceId: string, now: number) {
  return { workspace_id: workspaceId, oid, kind, size, sha256, data, blob_key: blobKey, touched_at: now };
}

function byOid(one: NewObject, other: NewObject): number {
  return one.oid < other.oid ? -1 : 1;
}

function partsOf<Item>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += ROWS_A_STATEMENT)
    parts.push(items.slice(at, at + ROWS_A_STATEMENT));
  return parts;
}
