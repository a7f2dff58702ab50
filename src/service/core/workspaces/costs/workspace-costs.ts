// GET /v1/workspaces/{workspaceID}/costs.

import { ok, type Result } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import { reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkspaceRefusal } from "../refusals.ts";
import { type Costs, sumCosts } from "./sum-costs.ts";

export type CostSpan = { readonly since: number | null; readonly until: number | null };

export async function findWorkspaceCosts(
  core: Core,
  { span, ...request }: WorkspaceRequest & { readonly span: CostSpan },
): Promise<Result<Costs, WorkspaceRefusal>> {
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  return ok(await sumCosts(core, { of: { workspaceId: request.workspaceId }, ...span }));
}
