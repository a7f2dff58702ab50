// Agents in SQL.
// Why: docs/decisions/001-agents-by-issuer-and-repository-id.md

import { type Kysely, type Selectable, sql } from "kysely";
import { visibilities } from "../../contract/ci/exchange.ts";
import type { Agent, AgentRepository } from "../core/agents/agent.ts";
import type { JobIdentity } from "../core/ci/job-identity.ts";
import type { AgentChange, AgentStore, AllAgentsQuery } from "../core/ports/store/agents.ts";
import { oneOf, parseCiPolicy, parseConfig, parseEgress } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type Ask, keepQuery } from "./kept-query.ts";
import { isUnfinished } from "./run-rows.ts";
import type { AgentsTable, Database } from "./tables.ts";

export class SqlAgents implements AgentStore {
  readonly #db: Kysely<Database>;
  readonly #ask: Ask;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async find(id: string): Promise<Agent | null> {
    const [row] = await this.#ask(agentOfId, { id });
    return row === undefined ? null : toAgent(row);
  }

  async findAccount(id: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("agents")
      .select("account_id")
      .where("id", "=", id)
      .executeTakeFirst();
    return row?.account_id ?? null;
  }

  async listDeletedAtWork(): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("agents")
      .select("id")
      .where(sql<boolean>`deleted_at is not null and erased_at is null`)
      .where(({ exists, selectFrom }) =>
        exists(selectFrom("runs").select("id").whereRef("agent_id", "=", "agents.id").where(isUnfinished)),
      )
      .execute();
    return rows.map(({ id }) => id);
  }

  async findByName({ accountId, name }: { accountId: string; name: string }): Promise<Agent | null> {
    const row = await this.#db
      .selectFrom("agents")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("name", "=", name)
      .where("retired_at", "is", null)
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : toAgent(row);
  }

  async list({
    accountId,
    withIndependent,
  }: {
    accountId: string;
    withIndependent: boolean;
  }): Promise<readonly Agent[]> {
    const query = this.#db
      .selectFrom("agents")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("deleted_at", "is", null)
      .orderBy("id", "desc");
    const rows = await (withIndependent ? query : query.where("kind", "is", null)).execute();
    return rows.map(toAgent);
  }

  async listAll({ accountId, of, before, limit }: AllAgentsQuery): Promise<readonly Agent[]> {
    let query = this.#db
      .selectFrom("agents")
      .selectAll()
      .where("deleted_at", "is", null)
      .orderBy("id", "desc")
      .limit(limit);
    if (accountId !== null) query = query.where("account_id", "=", accountId);
    if (of !== "all") query = query.where("repository_id", "is not", null);
    if (of === "unclaimed") query = query.where("account_id", "is", null);
    const rows = await (before === null ? query : query.where("id", "<", before)).execute();
    return rows.map(toAgent);
  }

  async listByName(name: string): Promise<readonly Agent[]> {
    const rows = await this.#db
      .selectFrom("agents")
      .selectAll()
      .where("name", "=", name)
      .where("retired_at", "is", null)
      .orderBy("id")
      .execute();
    return rows.map(toAgent);
  }

  async count(accountId: string): Promise<number> {
    const { count } = await this.#db
      .selectFrom("agents")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("account_id", "=", accountId)
      .where("retired_at", "is", null)
      .where("workspace_id", "is", null)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async insert(agent: Agent): Promise<void> {
    await this.#db.insertInto("agents").values(toRow(agent)).execute();
  }

  async upsert({
    id,
    job,
    backend,
    now,
  }: {
    id: string;
    job: JobIdentity;
    backend: string;
    now: number;
  }): Promise<Agent> {
    const seen = {
      owner_id: job.repository.ownerId,
      repository_name: job.repository.name,
      visibility: job.repository.visibility,
    };
    const row = await this.#db
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
        egress: null,
        provider: job.provider,
        issuer: job.issuer,
        repository_id: job.repository.id,
        ...seen,
        workspace_id: null,
        backend,
        created_at: now,
        ...{ retired_at: null, deleted_at: null, erased_at: null },
      })
      .onConflict((conflict) =>
        conflict.columns(["issuer", "repository_id"]).doUpdateSet({ ...seen, backend }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    return toAgent(row);
  }

  async update(id: string, change: AgentChange): Promise<void> {
    await this.#db
      .updateTable("agents")
      .set({
        ...(change.accountId === undefined ? {} : { account_id: change.accountId }),
        ...(change.retiredAt === undefined ? {} : { retired_at: change.retiredAt }),
        ...(change.workspaceId === undefined ? {} : { workspace_id: change.workspaceId }),
        ...(change.advisorMaxSpendMicroUsd === undefined
          ? {}
          : { advisor_max_spend_micro_usd: change.advisorMaxSpendMicroUsd }),
        ...(change.ciPolicy === undefined ? {} : { ci_policy: policyColumn(change) }),
        ...(change.egress === undefined ? {} : { egress: egressColumn(change) }),
        // An update without a column is not valid SQL: this one is always there.
        id: sql<string>`id`,
      })
      .where("id", "=", id)
      .execute();
  }

  async lockMadeWith(workspaceId: string): Promise<Agent | null> {
    const row = await this.#db
      .updateTable("agents")
      .set({ id: sql<string>`id` })
      .where("workspace_id", "=", workspaceId)
      .where("deleted_at", "is", null)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toAgent(row);
  }

  async lock(id: string): Promise<Agent | null> {
    // A write that changes nothing locks the row on both databases.
    const row = await this.#db
      .updateTable("agents")
      .set({ id: sql<string>`id` })
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toAgent(row);
  }

  async delete({ id, now }: { id: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("agents")
      .set({
        ...{ deleted_at: now, retired_at: now, config: "{}", ci_policy: null, egress: null },
        // The next job of the repository makes another agent.
        ...{ provider: null, issuer: null, repository_id: null, owner_id: null },
        ...{ repository_name: null, visibility: null, workspace_id: null },
      })
      .where("id", "=", id)
      .execute();
  }
}

const agentOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("agents").selectAll().where("id", "=", id).where("deleted_at", "is", null),
);

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
    egress: row.egress === null ? null : parseEgress(row.egress),
    repository: toRepository(row),
    workspaceId: row.workspace_id,
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
    egress: egressColumn(agent),
    provider: repository?.provider ?? null,
    issuer: repository?.issuer ?? null,
    repository_id: repository?.id ?? null,
    owner_id: repository?.ownerId ?? null,
    repository_name: repository?.name ?? null,
    visibility: repository?.visibility ?? null,
    workspace_id: agent.workspaceId,
    backend: agent.backend,
    created_at: agent.createdAt,
    retired_at: agent.retiredAt,
    ...{ deleted_at: null, erased_at: null },
  };
}

function egressColumn({ egress = null }: Pick<AgentChange, "egress">): string | null {
  return egress === null ? null : JSON.stringify(egress);
}

function policyColumn({ ciPolicy = null }: Pick<AgentChange, "ciPolicy">): string | null {
  return ciPolicy === null ? null : JSON.stringify(ciPolicy);
}
