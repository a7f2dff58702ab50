// Agents and sessions in SQL.

import type { Kysely, Selectable } from "kysely";
import { visibilities } from "../../contract/exchange.ts";
import type { StoreTransaction } from "../core/ports/store.ts";
import type { Agent } from "../core/records.ts";
import { oneOf } from "./columns.ts";
import type { AgentsTable, Database } from "./tables.ts";

export function agentQueries(
  db: Kysely<Database>,
): Pick<StoreTransaction, "findAgent" | "upsertAgent" | "insertSession" | "findSession"> {
  return {
    findAgent: async (id) => {
      const row = await db.selectFrom("agents").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toAgent(row);
    },

    upsertAgent: async ({ id, job, backend, now }) => {
      const row = await db
        .insertInto("agents")
        .values({
          id,
          account_id: null,
          provider: job.provider,
          issuer: job.issuer,
          repository_id: job.repository.id,
          owner_id: job.repository.ownerId,
          repository_name: job.repository.name,
          visibility: job.repository.visibility,
          backend,
          created_at: now,
        })
        .onConflict((conflict) =>
          conflict.columns(["issuer", "repository_id"]).doUpdateSet({
            owner_id: job.repository.ownerId,
            repository_name: job.repository.name,
            visibility: job.repository.visibility,
            backend,
          }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return toAgent(row);
    },

    insertSession: async (session) => {
      await db
        .insertInto("sessions")
        .values({ id: session.id, agent_id: session.agentId, created_at: session.createdAt })
        .execute();
    },

    findSession: async (id) => {
      const row = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : { id: row.id, agentId: row.agent_id, createdAt: row.created_at };
    },
  };
}

function toAgent(row: Selectable<AgentsTable>): Agent {
  return {
    id: row.id,
    accountId: row.account_id,
    provider: row.provider,
    issuer: row.issuer,
    repositoryId: row.repository_id,
    ownerId: row.owner_id,
    repositoryName: row.repository_name,
    visibility: oneOf(visibilities, row.visibility, "agents.visibility"),
    backend: row.backend,
    createdAt: row.created_at,
  };
}
