// /v1/workspaces/{workspaceID}/members: list, add, take out.

import type { memberRoutes } from "../../../../contract/workspaces/members.ts";
import type { Core } from "../../../core/core.ts";
import { addMember, listMembers, removeMember } from "../../../core/workspaces/administration/members.ts";
import { toMember } from "../../shared/workspace-things-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function memberHandlers(core: Core): NounHandlers<typeof memberRoutes> {
  return {
    list: async ({ caller, params, query }) =>
      shown(await listMembers(core, { caller, workspaceId: params.workspaceID, query }), toPage(toMember)),
    add: async ({ caller, params, body }) =>
      shown(await addMember(core, { caller, workspaceId: params.workspaceID, body }), toMember),
    remove: async ({ caller, params }) => {
      const { workspaceID: workspaceId, memberID: memberId } = params;
      return shown(await removeMember(core, { caller, workspaceId, memberId }), toMember);
    },
  };
}
