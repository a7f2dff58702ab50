// /v1/workspaces/{workspaceID}/task-groups and /v1/task-groups/{taskGroupID}: list, make, read, costs, stop.

import { ok } from "../../../../base/result.ts";
import type { taskGroupRoutes } from "../../../../contract/workspaces/task-groups/routes.ts";
import type { Core } from "../../../core/core.ts";
import { sumCosts } from "../../../core/workspaces/costs/sum-costs.ts";
import {
  createTaskGroup,
  listTaskGroups,
  reachTaskGroup,
  readTaskGroup,
} from "../../../core/workspaces/task-groups/task-groups.ts";
import { stopTaskGroup } from "../../../core/workspaces/workers/stop-task-group.ts";
import { toCosts } from "../../shared/costs-view.ts";
import { toTaskGroup } from "../../shared/worker-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown, shownOnce } from "../handler.ts";

export function taskGroupHandlers(core: Core): NounHandlers<typeof taskGroupRoutes> {
  return {
    list: async ({ caller, params, query }) =>
      shown(
        await listTaskGroups(core, { caller, workspaceId: params.workspaceID, query }),
        toPage(toTaskGroup),
      ),
    create: async ({ params, ...request }) =>
      shownOnce(await createTaskGroup(core, { ...request, workspaceId: params.workspaceID }), toTaskGroup),
    get: async ({ caller, params }) =>
      shown(await readTaskGroup(core, { caller, taskGroupId: params.taskGroupID }), toTaskGroup),
    costs: async ({ caller, params, query }) => {
      const { taskGroupID: taskGroupId } = params;
      const reached = await reachTaskGroup(core, { caller, taskGroupId });
      if (!reached.ok) return reached;
      const span = { since: timeOf(query.since), until: timeOf(query.until) };
      return ok({ body: toCosts(await sumCosts(core, { of: { taskGroupId }, ...span }), span) });
    },
    stop: async ({ caller, params }) =>
      shown(await stopTaskGroup(core, { caller, taskGroupId: params.taskGroupID }), toTaskGroup),
  };
}

function timeOf(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}
