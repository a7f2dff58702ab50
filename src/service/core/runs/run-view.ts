// A link with which anybody reads one run: who may be given one, and what its holder is. Pure.
// Why: docs/decisions/067-who-reads-a-run-page.md

import type { Agent } from "../agents/agent.ts";

export const RUN_VIEW_PREFIX = "svc_rv_";

/** As stored: the token itself is not here. It ends with the run's events. */
export type RunView = {
  readonly hash: string;
  readonly runId: string;
  readonly agentId: string;
  readonly createdAt: number;
};

/** Whoever holds the token of a view. Reads that run, and nothing else. */
export type RunViewer = { readonly kind: "run_view"; readonly view: RunView };

/**
 * Whether the agent's runs have links for everybody: as its owner says, else where the repository is public. A repository
 * whose visibility is anything else is not public.
 */
export function sharesRuns({ ciPolicy, repository }: Pick<Agent, "ciPolicy" | "repository">): boolean {
  if (repository === null) return false;
  const share = ciPolicy?.share ?? (repository.visibility === "public" ? "log" : "off");
  return share === "log";
}
