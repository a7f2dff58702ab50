// Submissions that ask for several attempts, and their rules. Pure.
// Why: docs/decisions/151-best-of-n.md

import type { SubmitRunRequest } from "../../../contract/runs/run-requests.ts";
import type { Agent } from "../agents/agent.ts";
import type { Policy } from "../core.ts";
import type { BestOfRefusal } from "./refusals.ts";
import type { BestOf } from "./run-record.ts";
import { hasOurTools } from "./tools-fault.ts";

type Asked = Pick<SubmitRunRequest, "best_of" | "best_of_models">;

/** Null: one attempt by the agent's model, as every run. */
export function bestOfIn({ best_of: asked, best_of_models: models = [] }: Asked): BestOf | null {
  const attempts = asked ?? Math.max(1, models.length);
  return attempts === 1 && models.length === 0 ? null : { attempts, models };
}

type BestOfRun = {
  readonly agent: Agent;
  readonly body: SubmitRunRequest;
  readonly isInWorkspace: boolean;
};

/** Why the attempts are not made; null where they are, or none are asked for. */
export function findBestOfFault(
  policy: Pick<Policy, "coderWire" | "freeFor">,
  { agent, body, isInWorkspace }: BestOfRun,
): BestOfRefusal | null {
  const asked = bestOfIn(body);
  if (asked === null) return null;
  if (asked.models.length > asked.attempts) {
    return { reason: "best_of_too_few", attempts: asked.attempts, models: asked.models.length };
  }
  if (asked.models.length > 0 && body.model_access !== undefined) return { reason: "best_of_brought_model" };
  if (isInWorkspace) return { reason: "best_of_in_workspace" };
  if (policy.freeFor === "everyone") return { reason: "best_of_inside_job" };
  if (!hasOurTools(policy, { agent, body })) {
    return { reason: "best_of_without_model", backend: agent.backend };
  }
  return agent.repository === null ? { reason: "best_of_without_repository", agentId: agent.id } : null;
}
