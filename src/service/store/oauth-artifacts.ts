// Artifacts that the authorization server keeps for a time, in SQL.

import type { Kysely } from "kysely";
import type { Artifact, ArtifactKey } from "../core/oauth/artifact.ts";
import type { ArtifactStore } from "../core/oauth/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

type Named = { readonly kind: string; readonly idHash: string };
type ConsumedArtifact = Named & { readonly now: number; readonly successor?: string | null };

export const artifactRow = row<Artifact>("oauth_artifacts")({
  kind: text,
  idHash: text,
  grantId: nullable(text),
  uid: nullable(text),
  userCodeHash: nullable(text),
  payload: text,
  consumedAt: nullable(integer),
  successor: nullable(text),
  expiresAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    oauth_artifacts: TableOf<typeof artifactRow>;
  }
}

export class SqlOAuthArtifacts implements ArtifactStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(key: ArtifactKey): Promise<Artifact | null> {
    const query = this.#db.selectFrom("oauth_artifacts").selectAll().where("kind", "=", key.kind);
    const found =
      "idHash" in key
        ? query.where("id_hash", "=", key.idHash)
        : "uid" in key
          ? query.where("uid", "=", key.uid)
          : query.where("user_code_hash", "=", key.userCodeHash);
    const row = await found.executeTakeFirst();
    return row === undefined ? null : artifactRow.read(row);
  }

  async put(artifact: Artifact): Promise<void> {
    await this.#db
      .insertInto("oauth_artifacts")
      .values(artifactRow.write(artifact))
      .onConflict((conflict) => conflict.columns(["kind", "id_hash"]).doUpdateSet(columnsOf(artifact)))
      .execute();
  }

  async replace({ kind, idHash, from, artifact }: Named & { from: string; artifact: Artifact }) {
    const { numUpdatedRows } = await this.#db
      .updateTable("oauth_artifacts")
      .set(columnsOf(artifact))
      .where("kind", "=", kind)
      .where("id_hash", "=", idHash)
      .where("payload", "=", from)
      .where("consumed_at", "is", null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async consume({ kind, idHash, now, successor = null }: ConsumedArtifact): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("oauth_artifacts")
      .set({ consumed_at: now, successor })
      .where("kind", "=", kind)
      .where("id_hash", "=", idHash)
      .where("consumed_at", "is", null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async delete({ kind, idHash }: Named): Promise<void> {
    await this.#db
      .deleteFrom("oauth_artifacts")
      .where("kind", "=", kind)
      .where("id_hash", "=", idHash)
      .execute();
  }

  async deleteOf(grantId: string): Promise<void> {
    await this.#db.deleteFrom("oauth_artifacts").where("grant_id", "=", grantId).execute();
  }
}

/** Columns that another version of it may change. */
function columnsOf({
  kind: _kind,
  idHash: _idHash,
  consumedAt: _at,
  successor: _successor,
  ...rest
}: Artifact) {
  return artifactRow.change(rest);
}
