// The parts of an agent's page: each has an address of its own.

import type { Agent } from "../../../../core/agents/agent.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import type { Workspace } from "../../../../core/workspaces/workspace.ts";

export type ShownAgent = {
  readonly agent: Agent;
  readonly session: WebSession;
  /** Those of the session's account that it manages or works in. */
  readonly workspaces: readonly Workspace[];
  /** The workflow whose card is open. */
  readonly openedWorkflow: string | null;
};

export type AgentPart = "runs" | "schedules" | "settings";

type PartPlace = { readonly title: string; path(agentId: string): string };

/** In the order of the tabs. */
export const agentParts: Readonly<Record<AgentPart, PartPlace>> = {
  runs: { title: "Runs", path: (agentId) => `/agent/${agentId}` },
  schedules: { title: "Schedules and workflows", path: (agentId) => `/agent/${agentId}/schedules` },
  settings: { title: "Settings", path: (agentId) => `/agent/${agentId}/settings` },
};
