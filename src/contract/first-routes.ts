// The routes that a service has at hand from its start, by noun. Pure.

import { accountRoutes } from "./account.ts";
import { accountMemberRoutes, invitationRoutes } from "./account-members.ts";
import { agentRoutes } from "./agents/routes.ts";
import { approvalRoutes } from "./approvals/routes.ts";
import { ciRoutes, commitRoutes } from "./ci/routes.ts";
import { claimRoutes } from "./claims.ts";
import { connectionRoutes } from "./connections.ts";
import { creditRoutes, pricingRoutes } from "./money/routes.ts";
import { operationRoutes } from "./operation.ts";
import { questionRoutes } from "./questions.ts";
import { repositoryAccessRoutes } from "./repository-access.ts";
import type { RouteTable } from "./route.ts";
import { runIdentityRoutes } from "./run-identity.ts";
import { runRoutes } from "./runs/routes.ts";
import { scheduleRoutes } from "./schedules/routes.ts";
import { sessionRoutes } from "./sessions/routes.ts";
import { workflowRoutes } from "./workflows.ts";
import { writeGrantRoutes } from "./write-grants.ts";

/** Those of workspaces and of AG-UI are loaded at their first request. */
export const firstRoutes = {
  ci: ciRoutes,
  commits: commitRoutes,
  claims: claimRoutes,
  agents: agentRoutes,
  repositoryAccess: repositoryAccessRoutes,
  runs: runRoutes,
  schedules: scheduleRoutes,
  workflows: workflowRoutes,
  approvals: approvalRoutes,
  writeGrants: writeGrantRoutes,
  runIdentity: runIdentityRoutes,
  questions: questionRoutes,
  account: accountRoutes,
  accountMembers: accountMemberRoutes,
  invitations: invitationRoutes,
  connections: connectionRoutes,
  credits: creditRoutes,
  pricing: pricingRoutes,
  sessions: sessionRoutes,
  operation: operationRoutes,
} as const satisfies RouteTable;

export type FirstRoutes = typeof firstRoutes;
