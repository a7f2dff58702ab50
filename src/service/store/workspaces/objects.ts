// Git's objects of workspaces in SQL.

import { type Kysely, sql } from "kysely";
import { objectKinds } from "../../core/workspaces/objects/object-kind.ts";
import type {
  KeptObject,
  NewObject,
  ObjectNode,
  ObjectStore,
} from "../../core/workspaces/objects/store-port.ts";
import type { Connection } from "../connection.ts";
import { type KeptQueryRunner, keepQuery } from "../kept-query.ts";
import { row, type TableOf } from "../row.ts";
import { bytes, integer, nullable, oneOf, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

/** Databases bind a bounded number of values. */
const ROWS_A_STATEMENT = 500;

type Named = { readonly workspaceId: string; readonly oids: readonly string[] };

/** Small contents are in `data`, large ones in the blob `blobKey`. */
const kept = {
  oid: text,
  kind: oneOf(objectKinds),
  size: integer,
  data: nullable(bytes),
  blobKey: nullable(text),
};

const keptRow = row<KeptObject>("workspace_objects")(kept);

/** Immutable but for `touchedAt`: when it was last written, or found to be there by who wanted to write it. */
export const objectRow = row<NewObject>("workspace_objects")(
  { ...kept, sha256: text },
  {
    /** `<workspace_id>/<oid>`. */
    key: text,
    workspaceId: text,
    touchedAt: integer,
  },
);

type ObjectsTable = TableOf<typeof objectRow>;

declare module "../tables.ts" {
  interface Database {
    workspace_objects: TableOf<typeof objectRow>;
  }
}

export class SqlObjects implements ObjectStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #hasRowLocks: boolean;

  constructor({ db, ask, hasRowLocks }: Connection) {
    this.#db = db;
    this.#ask = ask;
    this.#hasRowLocks = hasRowLocks;
  }

  async find({ workspaceId, oids }: Named): Promise<readonly KeptObject[]> {
    const [only] = oids;
    if (only !== undefined && oids.length === 1) {
      return (await this.#ask(objectOfKey, { key: keyOf(workspaceId, only) })).map(keptRow.read);
    }
    const found: KeptObject[] = [];
    const query = this.#hasRowLocks ? objectsOfKeys.postgres : objectsOfKeys.sqlite;
    for (const part of partsOf(oids)) {
      const rows = await this.#ask(query, { keys: keysOf(workspaceId, part) });
      found.push(...rows.map(keptRow.read));
    }
    return found;
  }

  async sizes({ workspaceId, oids }: Named): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    const query = this.#hasRowLocks ? sizesOfKeys.postgres : sizesOfKeys.sqlite;
    for (const part of partsOf(oids)) {
      const rows = await this.#ask(query, { keys: keysOf(workspaceId, part) });
      for (const { oid, size } of rows) sizes.set(oid, size);
    }
    return sizes;
  }

  async listRoots(workspaceId: string): Promise<readonly string[]> {
    // One statement: a root that moves meanwhile is seen where it was, or where it is.
    const { rows } = await sql<{ oid: string }>`
      select commit_oid as oid from revisions where workspace_id = ${workspaceId}
      union select base_tree_oid from copies where workspace_id = ${workspaceId}
      union select oid from copy_trash where workspace_id = ${workspaceId}
      union select oid from download_links where workspace_id = ${workspaceId}
      union select copy_entries.oid from copy_entries join copies on copies.id = copy_entries.copy_id
        where copies.workspace_id = ${workspaceId} and copy_entries.oid is not null
      union select workspace_runs.begun_commit_oid from workspace_runs join runs on runs.id = workspace_runs.run_id
        where workspace_runs.workspace_id = ${workspaceId} and workspace_runs.begun_commit_oid is not null
          and runs.ended_at is null
    `.execute(this.#db);
    return rows.map(({ oid }) => oid);
  }

  async findNodes({ workspaceId, oids }: Named): Promise<readonly ObjectNode[]> {
    const nodes: ObjectNode[] = [];
    for (const part of partsOf(oids)) {
      const rows = await this.#db
        .selectFrom("workspace_objects")
        .select(["oid", "kind", "data"])
        .where(
          "key",
          "in",
          part.map((oid) => keyOf(workspaceId, oid)),
        )
        .where("kind", "in", ["tree", "commit"])
        .execute();
      for (const { oid, kind, data } of rows)
        if (data !== null) nodes.push({ oid, kind: kind === "tree" ? "tree" : "commit", data });
    }
    return nodes;
  }

  async listOld(query: {
    workspaceId: string;
    touchedBefore: number;
    after: string | null;
    limit: number;
  }): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("workspace_objects")
      .select("oid")
      .where("workspace_id", "=", query.workspaceId)
      .where("oid", ">", query.after ?? "")
      .where("touched_at", "<", query.touchedBefore)
      .orderBy("oid")
      .limit(query.limit)
      .execute();
    return rows.map(({ oid }) => oid);
  }

  async deleteOld({ workspaceId, oids, touchedBefore }: Named & { touchedBefore: number }) {
    const blobKeys: string[] = [];
    let deleted = 0;
    for (const part of partsOf(oids)) {
      const old = this.#db
        .selectFrom("workspace_objects")
        .select("oid")
        .where(
          "key",
          "in",
          part.map((oid) => keyOf(workspaceId, oid)),
        )
        .where("touched_at", "<", touchedBefore)
        .orderBy("oid");
      // In the order in which they are written: nobody waits in a circle.
      const rows = await (this.#hasRowLocks ? old.forUpdate() : old).execute();
      if (rows.length === 0) continue;
      const gone = await this.#db
        .deleteFrom("workspace_objects")
        .where(
          "key",
          "in",
          rows.map(({ oid }) => keyOf(workspaceId, oid)),
        )
        .returning("blob_key")
        .execute();
      deleted += gone.length;
      blobKeys.push(...gone.flatMap(({ blob_key: key }) => (key === null ? [] : [key])));
    }
    return { deleted, blobKeys };
  }

  async put(given: {
    workspaceId: string;
    objects: readonly NewObject[];
    now: number;
  }): Promise<readonly string[]> {
    const { workspaceId, now } = given;
    const ownOf = ({ oid }: NewObject) => ({ key: keyOf(workspaceId, oid), workspaceId, touchedAt: now });
    // In one order: two transactions never wait for each other. Once each: a statement meets a row once.
    const objects = [...new Map(given.objects.map((object) => [object.oid, object])).values()].sort(byOid);
    const [only] = objects;
    if (only !== undefined && objects.length === 1) {
      const kept = await this.#ask(insertObject, objectRow.write(only, ownOf(only)));
      return kept.length > 0 ? [] : [only.oid];
    }
    const others: string[] = [];
    for (const part of partsOf(objects)) {
      const rows = await this.#db
        .insertInto("workspace_objects")
        .values(part.map((object) => objectRow.write(object, ownOf(object))))
        .onConflict((conflict) =>
          conflict
            .column("key")
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

  async replaceBlob(lost: {
    workspaceId: string;
    object: Pick<NewObject, "oid" | "sha256">;
    from: string;
    to: string;
  }): Promise<boolean> {
    const { oid, sha256 } = lost.object;
    const rows = await this.#db
      .updateTable("workspace_objects")
      .set({ blob_key: lost.to })
      .where("key", "=", keyOf(lost.workspaceId, oid))
      .where("blob_key", "=", lost.from)
      .where("sha256", "=", sha256)
      .returning("oid")
      .execute();
    return rows.length === 1;
  }

  async touch({ workspaceId, oids, now }: Named & { now: number }): Promise<readonly string[]> {
    const absent: string[] = [];
    for (const part of partsOf([...new Set(oids)].sort())) {
      const rows = await this.#db
        .updateTable("workspace_objects")
        .set({ touched_at: now })
        .where(
          "key",
          "in",
          part.map((oid) => keyOf(workspaceId, oid)),
        )
        .returning("oid")
        .execute();
      const kept = new Set(rows.map(({ oid }) => oid));
      absent.push(...part.filter((oid) => !kept.has(oid)));
    }
    return absent;
  }
}

const objectOfKey = keepQuery<{ key: string }>("key")((db, { key }) =>
  db.selectFrom("workspace_objects").select(keptRow.columns).where("key", "=", key),
);

type Keys = { readonly keys: string };

/** Of many keys, which are one value: the text of a statement with a value a key is made anew for each number of them. */
const amongKeys = {
  sqlite: (keys: string) => sql<boolean>`key in (select value from json_each(${keys}))`,
  postgres: (keys: string) => sql<boolean>`key in (select json_array_elements_text(${keys}::json))`,
};

const objectsOfKeys = {
  sqlite: objectsAmong(amongKeys.sqlite),
  postgres: objectsAmong(amongKeys.postgres),
};

function objectsAmong(isAmong: (typeof amongKeys)["sqlite"]) {
  return keepQuery<Keys>("keys")((db, { keys }) =>
    db.selectFrom("workspace_objects").select(keptRow.columns).where(isAmong(keys)),
  );
}

const sizesOfKeys = { sqlite: sizesAmong(amongKeys.sqlite), postgres: sizesAmong(amongKeys.postgres) };

function sizesAmong(isAmong: (typeof amongKeys)["sqlite"]) {
  return keepQuery<Keys>("keys")((db, { keys }) =>
    db.selectFrom("workspace_objects").select(["oid", "size"]).where(isAmong(keys)),
  );
}

function keysOf(workspaceId: string, oids: readonly string[]): string {
  return JSON.stringify(oids.map((oid) => keyOf(workspaceId, oid)));
}

const insertObject = keepQuery<ObjectsTable>(...objectRow.columns)((db, values) =>
  db
    .insertInto("workspace_objects")
    .values(values)
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet({ touched_at: values.touched_at })
        .whereRef("workspace_objects.sha256", "=", "excluded.sha256"),
    )
    .returning("oid"),
);

/**
 * One column, so that there is one way to find a row: of a table that has grown since it was last analysed, PostgreSQL would read all
 * objects of a workspace to find some.
 */
function keyOf(workspaceId: string, oid: string): string {
  return `${workspaceId}/${oid}`;
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
