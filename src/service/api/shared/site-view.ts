// A workspace's site as the contract shows it. Pure.

import type { OpenedSite as OpenedSiteView, SiteView } from "../../../contract/workspaces/site.ts";
import type { Core } from "../../core/core.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { OpenedSite } from "../../core/workspaces/consumers/site.ts";
import type { Site } from "../../core/workspaces/consumers/store-port.ts";

export function toSite({ workspaces }: Pick<Core, "workspaces">) {
  const isolation = workspaces?.siteUrl == null ? ("sandbox" as const) : ("origin" as const);
  return ({ workspaceId, revisionId, folder, publishedAt }: Site): SiteView => ({
    workspace_id: workspaceId,
    revision_id: revisionId,
    folder,
    isolation,
    published_at: isoTime(publishedAt),
  });
}

export function toOpenedSite({ url, expiresAt }: OpenedSite): OpenedSiteView {
  return { url, expires_at: isoTime(expiresAt) };
}
