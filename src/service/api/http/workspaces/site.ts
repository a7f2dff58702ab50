// /v1/workspaces/{workspaceID}/site: read, publish, open; and the address that it has no e-mail at.

import { refused } from "../../../../base/result.ts";
import type { inboundEmailRoutes } from "../../../../contract/workspaces/inbound-email.ts";
import type {
  OpenedSite as OpenedSiteView,
  SiteView,
  siteRoutes,
} from "../../../../contract/workspaces/site.ts";
import type { Core } from "../../../core/core.ts";
import { isoTime } from "../../../core/ports/problem.ts";
import { findSite, type OpenedSite, openSite, publishSite } from "../../../core/workspaces/consumers/site.ts";
import type { Site } from "../../../core/workspaces/consumers/store-port.ts";
import { reachWorkspace } from "../../../core/workspaces/reach-workspace.ts";
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

function toSite({ workspaces }: Pick<Core, "workspaces">) {
  const isolation = workspaces?.siteUrl == null ? ("sandbox" as const) : ("origin" as const);
  return ({ workspaceId, revisionId, folder, publishedAt }: Site): SiteView => ({
    workspace_id: workspaceId,
    revision_id: revisionId,
    folder,
    isolation,
    published_at: isoTime(publishedAt),
  });
}

function toOpenedSite({ url, expiresAt }: OpenedSite): OpenedSiteView {
  return { url, expires_at: isoTime(expiresAt) };
}
