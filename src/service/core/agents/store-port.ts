// Agents, as the core reads and writes them. Implemented in store/agents.ts.

import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { PageQuery } from "../ports/page.ts";
import type { Agent } from "./agent.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly agents: AgentReader;
  }
  interface StoreTransaction {
    readonly agents: AgentStore;
  }
}

/** Agents that were deleted are not found. */
interface AgentReader {
  find(id: string): Promise<Agent | null>;
  /** The account that owns the agent, or owned it when it was deleted. Null where there is none. */
  findAccount(id: string): Promise<string | null>;
  /** The ids of deleted agents that have runs in flight. */
  listDeletedAtWork(): Promise<readonly string[]>;
  /** Newest first. Independent agents are listed only where `withIndependent` is true. */
  list(query: { accountId: string; withIndependent: boolean }): Promise<readonly Agent[]>;
  /** Those of every account and of none, the retired too, newest first. */
  listAll(query: AllAgentsQuery): Promise<readonly Agent[]>;
  /** Of every account, oldest first, without those that are retired. */
  listByName(name: string): Promise<readonly Agent[]>;
  /** An account's agents that are not retired, without those that belong to a workspace. */
  count(accountId: string): Promise<number>;
}

export interface AgentStore extends AgentReader {
  insert(agent: Agent): Promise<void>;
  /** The account's oldest agent of this name that is not retired. */
  findByName(query: { accountId: string; name: string }): Promise<Agent | null>;
  update(id: string, change: AgentChange): Promise<void>;
  /** Reads an agent. No other transaction changes it until this one ends. */
  lock(id: string): Promise<Agent | null>;
  /** The same for the agent that was made with a workspace; null where there is none. */
  lockMadeWith(workspaceId: string): Promise<Agent | null>;
  /** No read finds it from then on, but for `findAccount`. The caller holds its lock. */
  delete(deletion: { id: string; now: number }): Promise<void>;
  /** The repository's agent, made on first use; a changed name or visibility is stored. Safe to race. */
  upsert(candidate: { id: string; job: JobIdentity; backend: string; now: number }): Promise<Agent>;
}

/** All but what an agent is made with. */
export type AgentChange = Partial<
  Omit<Agent, "id" | "name" | "kind" | "model" | "config" | "repository" | "backend" | "createdAt">
>;

export type AllAgentsQuery = PageQuery & {
  /** With null those of every account and of none. */
  readonly accountId: string | null;
  /** `all`, or those of repositories, or those of repositories that no account has claimed. */
  readonly of: "all" | "repositories" | "unclaimed";
};
