// /v1/workspaces/{workspaceID}/revisions: list, read, download, delete.

import { ok } from "../../../../base/result.ts";
import type { revisionRoutes } from "../../../../contract/workspaces/revisions.ts";
import type { Core } from "../../../core/core.ts";
import { deleteRevision } from "../../../core/workspaces/revisions/delete-revision.ts";
import { exportRevision } from "../../../core/workspaces/revisions/export-revision.ts";
import { findRevision, listRevisions } from "../../../core/workspaces/revisions/read-revisions.ts";
import { toRevision } from "../../shared/copy-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function revisionHandlers(core: Core): NounHandlers<typeof revisionRoutes> {
  return {
    list: async ({ caller, params, query }) => {
      const { accepted, ...page } = query;
      const isAccepted = accepted === undefined ? null : accepted === "true";
      const request = { caller, workspaceId: params.workspaceID, query: page, isAccepted };
      return shown(await listRevisions(core, request), toPage(toRevision));
    },
    get: async ({ caller, params }) => {
      const { workspaceID: workspaceId, revisionID: revisionId } = params;
      return shown(await findRevision(core, { caller, workspaceId, revisionId }), toRevision);
    },
    bundle: async ({ caller, params, signal }) => {
      const { workspaceID: workspaceId, revisionID: revisionId } = params;
      const exported = await exportRevision(core, { caller, workspaceId, revisionId, signal });
      if (!exported.ok) return exported;
      const { value } = exported;
      const body = { contentType: "application/x-git-bundle", size: null, etag: null, open: () => value };
      return ok({
        body,
        headers: { "Content-Disposition": `attachment; filename="${revisionId}.bundle"` },
      });
    },
    delete: async ({ caller, params }) => {
      const { workspaceID: workspaceId, revisionID: revisionId } = params;
      return shown(await deleteRevision(core, { caller, workspaceId, revisionId }), toRevision);
    },
  };
}
