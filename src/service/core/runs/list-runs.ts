// Runs, newest first, page by page: an agent's (GET /v1/agents/{agentID}/runs), and those of an account's agents.

import { ok, type Result } from "../../../base/result.ts";
import type { Caller } from "../accounts/caller.ts";
import { reachAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import type { RunRecord } from "./run-record.ts";
import type { RunFilter } from "./store-port.ts";

type RunPage = {
  readonly runs: readonly RunRecord[];
  /** The value of `before` for the next page; null on the last page. */
  readonly next: string | null;
};

/** The runs before the run `before`, or the newest, at most `limit` (≥ 1); of one session where a key names it. */
export async function listRuns(
  core: Core,
  query: { caller: Caller; agentId: string; sessionKey: string | null; before: string | null; limit: number },
): Promise<Result<RunPage, AgentRefusal>> {
  const { agentId, sessionKey: key, before, limit } = query;
  const agent = await reachAgent(core, query);
  if (!agent.ok) return agent;
  const { committed } = core.store;
  const sessionId = key === null ? null : await committed.sessions.findByKey({ agentId, key });
  if (key !== null && sessionId === null) return ok({ runs: [], next: null });
  const found = await committed.runs.list({ agentId, sessionId, before, limit: limit + 1 });
  const runs = found.slice(0, limit);
  return ok({ runs, next: found.length > limit ? (runs.at(-1)?.id ?? null) : null });
}

/** Of an account with more agents, the newest ones are looked at. */
export const MAX_LISTED_AGENTS = 100;

/** The runs of an account's agents, which the caller has listed. */
export async function listAccountRuns(
  { store }: Core,
  query: {
    readonly agents: readonly { readonly id: string }[];
    readonly filter: RunFilter;
    readonly before: string | null;
    readonly limit: number;
  },
): Promise<RunPage> {
  const { agents, filter, before, limit } = query;
  const agentIds = agents.slice(0, MAX_LISTED_AGENTS).map(({ id }) => id);
  const found = await store.committed.runs.listOfAgents({ ...filter, agentIds, before, limit: limit + 1 });
  const runs = found.slice(0, limit);
  return { runs, next: found.length > limit ? (runs.at(-1)?.id ?? null) : null };
}
