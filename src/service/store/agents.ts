// Agents and sessions in SQL.

import { type Kysely, type Selectable, sql } from "kysely";
import { visibilities } from "../../contract/ci/exchange.ts";
import type { AgentChange, StoreTransaction } from "../core/ports/store.ts";
import type { Agent, AgentRepository } from "../core/records.ts";
import { oneOf, parseCiPolicy, parseConfig } from "./columns.ts";
import type { AgentsTable, Database } from "./tables.ts";

type Agents = Pick<
  StoreTransaction,
  | "findAgent"
  | "findAgentByName"
  | "listAgents"
  | "countAgents"
  | "insertAgent"
  | "upsertAgent"
  | "updateAgent"
  | "lockAgent"
  | "insertSession"
  | "findSession"
  | "findCarriedChanges"
  | "putCarriedChanges"
>;

export function agentQueries(db: Kysely<Database>): Agents {
  return {
    findAgent: async (id) => {
      const row = await db.selectFrom("agents").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toAgent(row);
    },

    findAgentByName: async ({ accountId, name }) => {
      const row = await db
        .selectFrom("agents")
        .selectAll()
        .where("account_id", "=", accountId)
        .where("name", "=", name)
        .where("retired_at", "is", null)
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : toAgent(row);
    },

    listAgents: async ({ accountId, withIndependent }) => {
      const query = db
        .selectFrom("agents")
        .selectAll()
        .where("account_id", "=", accountId)
        .orderBy("id", "desc");
      const rows = await (withIndependent ? query : query.where("kind", "is", null)).execute();
      return rows.map(toAgent);
    },

    countAgents: async (accountId) => {
      const { count } = await db
        .selectFrom("agents")
        .select((select) => select.fn.countAll<number>().as("count"))
        .where("account_id", "=", accountId)
        .where("retired_at", "is", null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    insertAgent: async (agent) => {
      await db.insertInto("agents").values(toRow(agent)).execute();
    },

    upsertAgent: async ({ id, job, backend, now }) => {
      const seen = {
        owner_id: job.repository.ownerId,
        repository_name: job.repository.name,
        visibility: job.repository.visibility,
      };
      const row = await db
        .insertInto("agents")
        .values({
          id,
          account_id: null,
          name: job.repository.name,
          kind: null,
          model: null,
          config: "{}",
          advisor_max_spend_micro_usd: null,
          ci_policy: null,
          provider: job.provider,
          issuer: job.issuer,
          repository_id: job.repository.id,
          ...seen,
          backend,
          created_at: now,
          retired_at: null,
        })
        .onConflict((conflict) =>
          conflict.columns(["issuer", "repository_id"]).doUpdateSet({ ...seen, backend }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return toAgent(row);
    },

    updateAgent: async (id, change) => {
      await db
        .updateTable("agents")
        .set({
          ...(change.accountId === undefined ? {} : { account_id: change.accountId }),
          ...(change.retiredAt === undefined ? {} : { retired_at: change.retiredAt }),
          ...(change.advisorMaxSpendMicroUsd === undefined
            ? {}
            : { advisor_max_spend_micro_usd: change.advisorMaxSpendMicroUsd }),
          ...(change.ciPolicy === undefined ? {} : { ci_policy: policyColumn(change) }),
          // Never empty: an update without a column is not SQL.
          id: sql<string>`id`,
        })
        .where("id", "=", id)
        .execute();
    },

    lockAgent: async (id) => {
      // A write that changes nothing: the lock that both databases have.
      const row = await db
        .updateTable("agents")
        .set({ id: sql<string>`id` })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toAgent(row);
    },

    insertSession: async (session) => {
      await db
        .insertInto("sessions")
        .values({ id: session.id, agent_id: session.agentId, created_at: session.createdAt, run_count: 0 })
        .execute();
    },

    findSession: async (id) => {
      const row = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : { id: row.id, agentId: row.agent_id, createdAt: row.created_at };
    },

    putCarriedChanges: async ({ sessionId, runId, baseSha, patch }) => {
      const copy = { run_id: runId, base_sha: baseSha, patch };
      await db
        .insertInto("session_copies")
        .values({ session_id: sessionId, ...copy })
        .onConflict((conflict) => conflict.column("session_id").doUpdateSet(copy))
        .execute();
    },

    findCarriedChanges: async (sessionId) => {
      const row = await db
        .selectFrom("session_copies")
        .selectAll()
        .where("session_id", "=", sessionId)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { sessionId, runId: row.run_id, baseSha: row.base_sha, patch: row.patch };
    },
  };
}

function toAgent(row: Selectable<AgentsTable>): Agent {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    kind: row.kind === null ? null : oneOf(["independent"], row.kind, "agents.kind"),
    model: row.model,
    config: parseConfig(row.config),
    advisorMaxSpendMicroUsd: row.advisor_max_spend_micro_usd,
    ciPolicy: row.ci_policy === null ? null : parseCiPolicy(row.ci_policy),
    repository: toRepository(row),
    backend: row.backend,
    createdAt: row.created_at,
    retiredAt: row.retired_at,
  };
}

function toRepository(row: Selectable<AgentsTable>): AgentRepository | null {
  const { provider, issuer, repository_id, owner_id, repository_name, visibility } = row;
  if (provider === null || issuer === null || repository_id === null) return null;
  if (owner_id === null || repository_name === null || visibility === null) return null;
  return {
    provider,
    issuer,
    id: repository_id,
    ownerId: owner_id,
    name: repository_name,
    visibility: oneOf(visibilities, visibility, "agents.visibility"),
  };
}

function toRow(agent: Agent): AgentsTable {
  const { repository } = agent;
  return {
    id: agent.id,
    account_id: agent.accountId,
    name: agent.name,
    kind: agent.kind,
    model: agent.model,
    config: JSON.stringify(agent.config),
    advisor_max_spend_micro_usd: agent.advisorMaxSpendMicroUsd,
    ci_policy: policyColumn(agent),
    provider: repository?.provider ?? null,
    issuer: repository?.issuer ?? null,
    repository_id: repository?.id ?? null,
    owner_id: repository?.ownerId ?? null,
    repository_name: repository?.name ?? null,
    visibility: repository?.visibility ?? null,
    backend: agent.backend,
    created_at: agent.createdAt,
    retired_at: agent.retiredAt,
  };
}

function policyColumn({ ciPolicy = null }: Pick<AgentChange, "ciPolicy">): string | null {
  return ciPolicy === null ? null : JSON.stringify(ciPolicy);
}
