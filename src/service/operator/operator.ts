// An operator's changes in the store, made directly and also while a process serves from it: accounts, keys, sign-in links,
// credits, plans, workflows, claims.

import { resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/ids.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import type { Account } from "../core/accounts/account.ts";
import { nameAccount } from "../core/accounts/account-name.ts";
import type { ApiKey, CallerClass } from "../core/accounts/credential.ts";
import { grantCredits, makeApiKey, openAccount, revokeApiKey } from "../core/accounts/keys.ts";
import type { PlanRefusal } from "../core/accounts/refusals.ts";
import { endPlan, findCurrentAccount, type PlanOrder, setPlan } from "../core/accounts/subscriptions.ts";
import { type Released, type ReleaseRefusal, releaseClaim } from "../core/agent-endings/release-claim.ts";
import type { AgentRefusal } from "../core/agents/refusals.ts";
import type { Plan } from "../core/money/plan.ts";
import { type OperatorLists, operatorLists } from "../core/operators/lists.ts";
import type { Operator as OperatorOfPages } from "../core/operators/operator.ts";
import { makeOperatorLink, removeOperator } from "../core/operators/operators.ts";
import type { Store } from "../core/ports/store.ts";
import type { PublishedSet } from "../core/run-identity/identity-keys.ts";
import { type MadeSignInLink, makeSignInLink } from "../core/sign-in/sign-in-links.ts";
import type { WorkflowRefusal } from "../core/workflows/refusals.ts";
import type { WorkflowRecord } from "../core/workflows/workflow.ts";
import { putWorkflow } from "../core/workflows/workflows.ts";
import type { Config } from "../settings/config.ts";
import { openPostgresStore } from "../store/postgres.ts";
import { hasSqliteStore, openSqliteStore } from "../store/sqlite.ts";

export type { Account, Subscription } from "../core/accounts/account.ts";
export type { ApiKey, CallerClass } from "../core/accounts/credential.ts";
export type { PlanOrder } from "../core/accounts/subscriptions.ts";
export { type AuditAction, auditActions } from "../core/audit/audit-entry.ts";
export { type Plan, plans } from "../core/money/plan.ts";
export type { WorkflowRecord } from "../core/workflows/workflow.ts";

/** An existing account, or a new one with this plan. */
export type KeyOwner = { readonly accountId: string } | { readonly plan: Plan };

export type KeyRequest = {
  readonly owner: KeyOwner;
  readonly callerClass: CallerClass;
  readonly name: string;
};

/** With null as its id it is a new workflow. */
type WorkflowText = {
  readonly agentId: string;
  readonly id: string | null;
  readonly name: string;
  readonly prompt: string;
};

type FoundWorkflow = {
  readonly workflow: WorkflowRecord;
  readonly version: number;
  readonly prompt: string;
};

export type Operator = {
  /** The place of the store, for messages. Contains no password. */
  readonly place: string;
  /** The subscriptions that the rates have, by their id. */
  readonly skus: readonly string[];
  /** Makes a key. Its secret is returned here and stored nowhere. */
  createKey(request: KeyRequest): Promise<Result<{ key: ApiKey; secret: string }, "account_not_found">>;
  /** One account's keys; with null those of all accounts. Oldest first. */
  listKeys(accountId: string | null): Promise<readonly ApiKey[]>;
  /** Revokes a key. */
  revokeKey(id: string): Promise<Result<ApiKey, "key_not_found" | "key_revoked">>;
  /** Makes a link that signs a person in to the account, once. Null when there is no such account. */
  makeSignInLink(accountId: string): Promise<MadeSignInLink | null>;
  /** Makes a link that registers an operator of the pages, once. */
  makeOperatorLink(): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /** The operators of the pages, oldest first. */
  listOperators(): Promise<readonly OperatorOfPages[]>;
  /** Removes an operator of the pages, with their sessions. Null when there is no such one. */
  removeOperator(id: string): Promise<OperatorOfPages | null>;
  /** Gives an account credits. False when there is no such account. */
  grant(grant: { accountId: string; credits: number }): Promise<boolean>;
  /** Puts an account on a subscription: see `setPlan`. */
  setPlan(order: PlanOrder): Promise<Result<Account, PlanRefusal>>;
  /** Ends an account's subscription now. */
  endPlan(accountId: string): Promise<Result<Account, PlanRefusal>>;
  /** Names an account, or takes its name away with null. Null when there is no such account. */
  nameAccount(named: { accountId: string; name: string | null }): Promise<Account | null>;
  /** The keys that vouch for runs, made where there are none yet. Null without the key of the settings that seals them. */
  publishedKeys(): Promise<PublishedSet | null>;
  findAccount(accountId: string): Promise<Account | null>;
  /** Writes a workflow, or the next version of one. */
  putWorkflow(text: WorkflowText): Promise<Result<WorkflowRecord, WorkflowRefusal | AgentRefusal>>;
  /** An agent's workflows, oldest first. Null when there is no such agent. */
  listWorkflows(agentId: string): Promise<readonly WorkflowRecord[] | null>;
  /** A version of a workflow; with null the newest. */
  findWorkflow(query: {
    id: string;
    version: number | null;
  }): Promise<Result<FoundWorkflow, WorkflowRefusal>>;
  /** Takes a repository's agent from the account that claimed it. */
  releaseClaim(agentId: string): Promise<Result<Released, ReleaseRefusal>>;
  /** The ids of the agents of this name in every account, without those that are retired. */
  findAgentIds(name: string): Promise<readonly string[]>;
  /** Lists of all accounts, a page at a time. */
  readonly lists: OperatorLists;
  close(): Promise<void>;
};

/** Whether the configured store exists, as far as this machine can tell: a database is not looked into. */
export function hasStore({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl !== null || hasSqliteStore(dataDir);
}

/** Opens the configured store without holding it, and makes it where there is none. */
export async function openOperator(config: Config): Promise<Operator> {
  const store = await openStore(config);
  const core = { store, clock: systemClock, random: systemRandom, rates: config.rates };
  return {
    place: config.databaseUrl === null ? resolve(config.dataDir) : "the database at DATABASE_URL",
    skus: config.rates.subscriptions.map(({ id }) => id),
    createKey: async ({ owner, callerClass, name }) => {
      const accountId = "plan" in owner ? (await openAccount(core, owner.plan)).id : owner.accountId;
      if ((await store.committed.accounts.find(accountId)) === null) return refused("account_not_found");
      return ok(await makeApiKey(core, { accountId, callerClass, name }));
    },
    listKeys: (accountId) => store.committed.credentials.listKeys(accountId),
    revokeKey: async (id) => {
      const isRevoked = await revokeApiKey(core, id);
      const key = (await store.committed.credentials.listKeys(null)).find((candidate) => candidate.id === id);
      if (key === undefined) return refused("key_not_found");
      return isRevoked ? ok(key) : refused("key_revoked");
    },
    makeSignInLink: (accountId) => makeSignInLink(core, accountId),
    makeOperatorLink: () => makeOperatorLink(core),
    listOperators: () => store.committed.operators.list(),
    removeOperator: (id) => removeOperator(core, id),
    grant: (grant) => grantCredits(core, grant),
    setPlan: (order) => setPlan(core, order),
    endPlan: (accountId) => endPlan(core, accountId),
    nameAccount: (named) => nameAccount(core, { ...named, personId: null, requestId: "operator" }),
    publishedKeys: async () => {
      const { tokenSigner: signer } = await import("../oidc/token-signer.ts");
      const { publishedSet } = await import("../core/run-identity/identity-keys.ts");
      return await publishedSet({ ...core, identity: { signer, sealingKeys: config.secretKeys } });
    },
    findAccount: (accountId) => findCurrentAccount(core, accountId),
    putWorkflow: (text) => putWorkflow(core, text),
    listWorkflows: async (agentId) => {
      if ((await store.committed.agents.find(agentId)) === null) return null;
      return await store.committed.workflows.list(agentId);
    },
    findWorkflow: (query) => findWorkflow(store, query),
    releaseClaim: (agentId) => releaseClaim(core, { agentId, requestId: "operator" }),
    findAgentIds: async (name) => (await store.committed.agents.listByName(name)).map(({ id }) => id),
    lists: operatorLists(store),
    close: () => store.close(),
  };
}

async function findWorkflow(
  { committed }: Store,
  query: { id: string; version: number | null },
): Promise<Result<FoundWorkflow, WorkflowRefusal>> {
  const { id } = query;
  const workflow = await committed.workflows.find(id);
  if (workflow === null) return refused({ reason: "workflow_not_found", workflowId: id });
  const version = query.version ?? workflow.version;
  const prompt = await committed.workflows.findPrompt({ id, version });
  if (prompt === null) return refused({ reason: "workflow_version_not_found", workflowId: id, version });
  return ok({ workflow, version, prompt });
}

async function openStore(config: Config): Promise<Store> {
  if (config.databaseUrl === null) return await openSqliteStore({ folder: config.dataDir, hold: "none" });
  return await openPostgresStore({ url: config.databaseUrl });
}
