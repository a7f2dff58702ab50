// Nodes that share a store, in SQL.

import type { Kysely } from "kysely";
import { type NodeState, nodeRoles } from "../core/nodes/node.ts";
import type { NodeStore } from "../core/nodes/store-port.ts";
import { parseCounts, parseNames } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, json, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const nodeRow = row<NodeState>("nodes")({
  id: text,
  name: text,
  role: oneOf(nodeRoles),
  startedAt: integer,
  seenAt: integer,
  slots: integer,
  runIds: json(parseNames),
  refusals: json(parseCounts),
});

declare module "./tables.ts" {
  interface Database {
    nodes: TableOf<typeof nodeRow>;
  }
}

export class SqlNodes implements NodeStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async list(): Promise<readonly NodeState[]> {
    const rows = await this.#db.selectFrom("nodes").selectAll().orderBy("started_at").orderBy("id").execute();
    return rows.map(nodeRow.read);
  }

  async put(state: NodeState): Promise<void> {
    const { id, ...change } = state;
    await this.#db
      .insertInto("nodes")
      .values(nodeRow.write(state))
      .onConflict((conflict) => conflict.column("id").doUpdateSet(nodeRow.change(change)))
      .execute();
  }

  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom("nodes").where("id", "=", id).execute();
  }
}
