// Agents in SQL.
// Why: docs/decisions/001-agents-by-issuer-and-repository-id.md

import { type Kysely, sql } from "kysely";
import { visibilities } from "../../contract/ci/exchange.ts";
import { type Agent, newAgent } from "../core/agents/agent.ts";
import type { AgentChange, AgentStore, AllAgentsQuery } from "../core/agents/store-port.ts";
import type { JobIdentity } from "../core/ci-jobs/job-identity.ts";
import { parseCiPolicy, parseConfig, parseEgress } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { nullableGroup, row, type TableOf } from "./row.ts";
import { integer, json, named, nullable, oneOf, text } from "./row-columns.ts";
import { isUnfinished } from "./run-rows.ts";
import type { Database } from "./tables.ts";

export const agentRow = row<Agent>("agents")(
  {
    id: text,
    accountId: nullable(text),
    name: text,
    kind: nullable(oneOf(["independent"])),
    model: nullable(text),
    config: json(parseConfig),
    advisorMaxSpendMicroUsd: nullable(integer),
    ciPolicy: nullable(json(parseCiPolicy)),
    egress: nullable(json(parseEgress)),
    repository: nullableGroup({
      provider: text,
      issuer: text,
      id: named("repository_id", text),
      ownerId: text,
      name: named("repository_name", text),
      visibility: oneOf(visibilities),
    }),
    workspaceId: nullable(text),
    backend: text,
    createdAt: integer,
    retiredAt: nullable(integer),
  },
  {
    /** Its row stays, for the records of its runs. No read but that of its account finds it. */
    deletedAt: nullable(integer),
    /** When nothing of it was left to delete. */
    erasedAt: nullable(integer),
  },
);

declare module "./tables.ts" {
  interface Database {
    agents: TableOf<typeof agentRow>;
  }
}

/** What the records of its runs have of it. */
type KeptOfDeleted =
  | ("id" | "accountId" | "name" | "kind" | "model" | "backend" | "createdAt" | "retiredAt")
  | "advisorMaxSpendMicroUsd";
/** All else is gone: the next job of the repository makes another agent. */
const deleted: Omit<Agent, KeptOfDeleted> = {
  config: {},
  ciPolicy: null,
  egress: null,
  repository: null,
  workspaceId: null,
};

const notDeleted = { deletedAt: null, erasedAt: null };

export class SqlAgents implements AgentStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async find(id: string): Promise<Agent | null> {
    const [row] = await this.#ask(agentOfId, { id });
    return row === undefined ? null : agentRow.read(row);
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
    return row === undefined ? null : agentRow.read(row);
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
    return rows.map(agentRow.read);
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
    return rows.map(agentRow.read);
  }

  async listByName(name: string): Promise<readonly Agent[]> {
    const rows = await this.#db
      .selectFrom("agents")
      .selectAll()
      .where("name", "=", name)
      .where("retired_at", "is", null)
      .orderBy("id")
      .execute();
    return rows.map(agentRow.read);
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
    await this.#db.insertInto("agents").values(agentRow.write(agent, notDeleted)).execute();
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
    const { provider, issuer, repository } = job;
    const agent = newAgent({
      id,
      accountId: null,
      name: repository.name,
      repository: { provider, issuer, ...repository },
      backend,
      createdAt: now,
    });
    const values = agentRow.write(agent, notDeleted);
    const { owner_id, repository_name, visibility } = values;
    const row = await this.#db
      .insertInto("agents")
      .values(values)
      .onConflict((conflict) =>
        conflict
          .columns(["issuer", "repository_id"])
          .doUpdateSet({ owner_id, repository_name, visibility, backend }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    return agentRow.read(row);
  }

  async update(id: string, change: AgentChange): Promise<void> {
    await this.#db
      .updateTable("agents")
      // An update without a column is not valid SQL: the id is always there.
      .set({ ...agentRow.change(change), id: sql<string>`id` })
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
    return row === undefined ? null : agentRow.read(row);
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
    return row === undefined ? null : agentRow.read(row);
  }

  async delete({ id, now }: { id: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("agents")
      .set({
        deleted_at: now,
        retired_at: now,
        ...agentRow.change(deleted),
      })
      .where("id", "=", id)
      .execute();
  }
}

const agentOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("agents").selectAll().where("id", "=", id).where("deleted_at", "is", null),
);
