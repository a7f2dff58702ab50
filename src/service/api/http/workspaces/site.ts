// /v1/workspaces/{workspaceID}/site: read, publish, open; and the address that it has no e-mail at.

import { refused } from "../../../../base/result.ts";
import type { inboundEmailRoutes } from "../../../../contract/workspaces/inbound-email.ts";
import type { siteRoutes } from "../../../../contract/workspaces/site.ts";
import type { Core } from "../../../core/core.ts";
import { findSite, openSite, publishSite } from "../../../core/workspaces/consumers/site.ts";
import { reachWorkspace } from "../../../core/workspaces/reach-workspace.ts";
import { toOpenedSite, toSite } from "../../shared/site-view.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function siteHandlers(core: Core): NounHandlers<typeof siteRoutes> {
  const view = toSite(core);
  return {
    get: async ({ caller, params }) =>
      shown(await findSite(core, { caller, workspaceId: params.workspaceID }), view),
    publish: async ({ caller, params, body }) =>
      shown(await publishSite(core, { caller, workspaceId: params.workspaceID, body }), view),
    open: async ({ caller, params, body }) =>
      shown(await openSite(core, { caller, workspaceId: params.workspaceID, body }), toOpenedSite),
  };
}

export function inboundEmailHandlers(core: Core): NounHandlers<typeof inboundEmailRoutes> {
  return {
    get: async ({ caller, params }) => {
      const workspace = await reachWorkspace(core, { caller, workspaceId: params.workspaceID });
      return workspace.ok ? refused({ reason: "inbound_email_off" as const }) : workspace;
    },
  };
}
