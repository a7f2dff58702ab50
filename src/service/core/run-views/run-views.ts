// Links to runs: made for a job, found by their token, revoked by the agent's owner.

import { ok, type Result, refused } from "../../../base/result.ts";
import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import { actorOf, type Caller, type CiJobCaller, isOwner } from "../accounts/caller.ts";
import type { AuthRefusal, ClassRefusal } from "../accounts/refusals.ts";
import { agentSettingsUrl } from "../agents/agent-settings-url.ts";
import { auditAct } from "../agents/audit-act.ts";
import { findAgent } from "../agents/manage-agent.ts";
import { mayUseAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import { findStream } from "../runs/read-run.ts";
import type { RunRefusal } from "../runs/refusals.ts";
import { RUN_VIEW_PREFIX, type RunView, type RunViewer, sharesRuns } from "../runs/run-view.ts";
import { runPageUrl } from "./run-page-url.ts";

/** Links of one run that are good at the same time: a newer one ends the oldest. */
const LINKS_OF_A_RUN = 10;

type RunPageLink = {
  readonly url: string;
  /** True where everybody who has the link reads the run. */
  readonly isShared: boolean;
};

/**
 * The address of the run's page. Where the agent's runs are shared it has a token of its own, which reads that run alone
 * until the run's events are deleted.
 */
export async function linkRunPage(
  core: Core,
  request: { caller: CiJobCaller; runId: string },
): Promise<Result<RunPageLink, RunRefusal>> {
  const found = await findStream(core, request);
  if (!found.ok) return found;
  const { id: runId, agentId } = found.value;
  const url = runPageUrl(core.policy, { agentId, runId });
  return await core.store.transact(async (tx) => {
    // Locked: a revocation, or a policy, that is written at the same time holds for this link, too.
    const agent = await tx.agents.lock(agentId);
    if (agent === null || !sharesRuns(agent)) return ok({ url, isShared: false });
    const secret = makeSecretToken(RUN_VIEW_PREFIX, core.random.bytes(32));
    const view = { hash: secret.hash, runId, agentId, createdAt: core.clock.now() };
    await tx.runViews.insert(view, { keep: LINKS_OF_A_RUN });
    return ok({ url: `${url}?view=${secret.text}`, isShared: true });
  });
}

/** Who holds this token. A link is good only while the agent's runs are shared. */
export async function findRunViewer(core: Core, token: string): Promise<Result<RunViewer, AuthRefusal>> {
  if (!isWellFormedSecret(RUN_VIEW_PREFIX, token)) return refused({ reason: "credential_malformed" });
  const view = await core.store.committed.runViews.find(hashSecret(token));
  if (view === null || !(await isShared(core, view))) return refused({ reason: "credential_unknown" });
  return ok({ kind: "run_view", view });
}

async function isShared(core: Core, { agentId }: RunView): Promise<boolean> {
  const agent = await core.reads.findAgent(agentId);
  return agent !== null && sharesRuns(agent);
}

/** Ends every link to runs of an agent. Only its owner may; leaves an audit entry. Safe to repeat. */
export async function revokeRunViews(
  core: Core,
  request: { caller: Caller; agentId: string; requestId: string },
): Promise<Result<null, AgentRefusal | ClassRefusal>> {
  const { caller, agentId, requestId } = request;
  const found = await findAgent(core, request);
  if (!found.ok) return found;
  if (!isOwner(caller)) {
    const url = agentSettingsUrl(core, agentId);
    return refused({ reason: "owner_needed", what: "revoke the links to an agent's runs", url });
  }
  return await core.store.transact(async (tx): Promise<Result<null, AgentRefusal>> => {
    const agent = await tx.agents.lock(agentId);
    if (agent === null) return refused({ reason: "agent_not_found", agentId });
    if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
    await tx.runViews.deleteOfAgent(agentId);
    await auditAct(core, tx, {
      action: "revoke_links",
      outcome: "ok",
      by: actorOf(caller),
      agent,
      requestId,
    });
    return ok(null);
  });
}
