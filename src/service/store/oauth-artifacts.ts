// What the authorization server keeps for a time, in SQL.

import type { Kysely, Selectable } from "kysely";
import type { Artifact, ArtifactKey } from "../core/oauth/artifact.ts";
import type { ArtifactStore } from "../core/ports/store/oauth.ts";
import type { Connection } from "./connection.ts";
import type { Database, OAuthArtifactsTable } from "./tables.ts";

type Named = { readonly kind: string; readonly idHash: string };
type ConsumedArtifact = Named & { readonly now: number; readonly successor?: string | null };

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
    return row === undefined ? null : toArtifact(row);
  }

  async put(artifact: Artifact): Promise<void> {
    const columns = columnsOf(artifact);
    await this.#db
      .insertInto("oauth_artifacts")
      .values({
        kind: artifact.kind,
        id_hash: artifact.idHash,
        consumed_at: artifact.consumedAt,
        successor: artifact.successor,
        ...columns,
      })
      .onConflict((conflict) => conflict.columns(["kind", "id_hash"]).doUpdateSet(columns))
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

function columnsOf(artifact: Artifact) {
  return {
    grant_id: artifact.grantId,
    uid: artifact.uid,
    user_code_hash: artifact.userCodeHash,
    payload: artifact.payload,
    expires_at: artifact.expiresAt,
  };
}

function toArtifact(row: Selectable<OAuthArtifactsTable>): Artifact {
  return {
    kind: row.kind,
    idHash: row.id_hash,
    grantId: row.grant_id,
    uid: row.uid,
    userCodeHash: row.user_code_hash,
    payload: row.payload,
    consumedAt: row.consumed_at,
    successor: row.successor,
    expiresAt: row.expires_at,
  };
}
