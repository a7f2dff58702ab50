// Obstacles to a new run or an answer on an agent's page: there is no commit to work on.

import type { Agent } from "../../../../core/agents/agent.ts";
import type { Core } from "../../../../core/core.ts";
import { chooseCommit } from "../../../../core/runs/choose-commit.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";

export type CommitObstacles = {
  /** The text for people who want to begin a session. Null: they can. */
  readonly text: string | null;
  /** The same of each session that cannot go on, of those that were asked about. */
  readonly sessionIds: ReadonlyMap<string, string>;
};

export async function findCommitObstacles(
  core: Core,
  { agent, sessionIds }: { readonly agent: Agent; readonly sessionIds: Iterable<string> },
): Promise<CommitObstacles> {
  const { committed } = core.store;
  const anew = await chooseCommit(core, committed, { agent, sessionId: null });
  // A session without a commit of its own goes on with that one.
  if (anew.ok || anew.refusal.reason === "remote_head_needed") return { text: null, sessionIds: new Map() };
  const blocked = new Map<string, string>();
  for (const sessionId of new Set(sessionIds)) {
    const chosen = await chooseCommit(core, committed, { agent, sessionId });
    if (!chosen.ok && chosen.refusal.reason !== "remote_head_needed")
      blocked.set(sessionId, toProblem(chosen.refusal).message);
  }
  return { text: toProblem(anew.refusal).message, sessionIds: blocked };
}

/** The same of the sessions of several agents, for those that are of these. */
export async function findBlockedSessions(
  core: Core,
  { agents, runs }: { readonly agents: readonly Agent[]; readonly runs: readonly RunRecord[] },
): Promise<ReadonlyMap<string, string>> {
  const blocked = new Map<string, string>();
  for (const [agentId, ofAgent] of Map.groupBy(runs, (run) => run.agentId)) {
    const agent = agents.find(({ id }) => id === agentId);
    if (agent === undefined) continue;
    const found = await findCommitObstacles(core, {
      agent,
      sessionIds: ofAgent.map(({ sessionId }) => sessionId),
    });
    for (const [sessionId, text] of found.sessionIds) blocked.set(sessionId, text);
  }
  return blocked;
}
