// The authorization of a run to call a tool of an MCP server that changes something, and where its owner decides it otherwise.
// Why: docs/decisions/068-approvals.md

import type { ApprovalRecord } from "../approvals/approval.ts";
import { requestApproval } from "../approvals/request-approval.ts";
import { mayAcceptClaim } from "../ci-jobs/claimable.ts";
import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { Core } from "../core.ts";
import { isOfOwner } from "../runs/owner-of-run.ts";
import { isGranted } from "./write-grant.ts";

/** Those of a longer call are cut: the run's page has them. */
const MAX_ARGS_CHARS = 4_000;

export type WriteRequest = {
  readonly runId: string;
  readonly agentId: string;
  readonly server: string;
  /** As its server calls it. */
  readonly tool: string;
  /** The arguments of the call, as JSON without the run's secrets. Its owner decides by them. */
  readonly args?: string;
  /** Who named the server, and whether they named this tool by its whole name. */
  readonly origin: "operator" | "workflow" | "repository";
  readonly isNamed: boolean;
  /** The CI job that submitted the run; null where an account did. */
  readonly job: JobIdentity | null;
};

type WriteVerdict =
  | { readonly isAllowed: true }
  /** Null: nobody can grant it, because the agent has no owner, or another than the run, or too much waits for its owner. */
  | { readonly isAllowed: false; readonly approval: ApprovalRecord | null };

/** Asked before each call, so that a grant or its end counts from the next one on. Requests for one server are one approval. */
export async function authorizeWrite(core: Core, request: WriteRequest): Promise<WriteVerdict> {
  const { agentId, runId, server, tool } = request;
  const args = request.args?.slice(0, MAX_ARGS_CHARS);
  if (!core.policy.needsWriteGrants) return { isAllowed: true };
  const [agent, run] = await Promise.all([
    core.store.committed.agents.find(agentId),
    core.store.committed.runs.find(runId),
  ]);
  if (agent === null || agent.accountId === null) return { isAllowed: false, approval: null };
  if (run !== null && !isOfOwner(run, agent)) return { isAllowed: false, approval: null };
  if (isNamedByTrusted(request) || isGranted(await core.store.committed.writeGrants.list(agentId), server)) {
    return { isAllowed: true };
  }
  return await core.store.transact(async (tx): Promise<WriteVerdict> => {
    const owned = await tx.agents.lock(agentId);
    if (owned === null) return { isAllowed: false, approval: null };
    // It may have been granted in the meantime.
    if (isGranted(await tx.writeGrants.list(agentId), server)) return { isAllowed: true };
    const approval = await requestApproval(core, tx, {
      agent: owned,
      action: { kind: "grant_writes", server, tool, runId, ...(args === undefined ? {} : { args }) },
      requestedBy: { type: "run", runId },
    });
    return { isAllowed: false, approval };
  });
}

/** The operator, or a job that only writers of the repository can start, has named this very tool. */
function isNamedByTrusted({ origin, isNamed, job }: WriteRequest): boolean {
  if (!isNamed) return false;
  return origin === "operator" || (origin === "workflow" && job !== null && mayAcceptClaim(job));
}
