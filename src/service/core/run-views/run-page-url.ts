// The address of a run's page. Pure.

import type { Policy } from "../core.ts";

export function runPageUrl(
  { webUrl }: Pick<Policy, "webUrl">,
  { agentId, runId }: { agentId: string; runId: string },
): string {
  return `${webUrl}${runPagePath({ agentId, runId })}`;
}

/** Below the web app's address. */
export function runPagePath({ agentId, runId }: { agentId: string; runId: string }): string {
  return `/agent/${encodeURIComponent(agentId)}/runs/${encodeURIComponent(runId)}`;
}
