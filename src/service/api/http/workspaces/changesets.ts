// /v1/workspaces/{workspaceID}/changesets and …/review-actions.

import type { changesetRoutes } from "../../../../contract/workspaces/changesets/routes.ts";
import type { reviewActionRoutes } from "../../../../contract/workspaces/review-actions.ts";
import type { Core } from "../../../core/core.ts";
import { acceptChangeset } from "../../../core/workspaces/changesets/accept-changeset.ts";
import { createChangeset } from "../../../core/workspaces/changesets/create-changeset.ts";
import { listChangesets, readChangeset } from "../../../core/workspaces/changesets/read-changesets.ts";
import {
  type ReviewApproval,
  readReviewAction,
} from "../../../core/workspaces/changesets/read-review-action.ts";
import { rejectChangeset } from "../../../core/workspaces/changesets/reject-changeset.ts";
import { resolveChangeset } from "../../../core/workspaces/changesets/resolve-changeset.ts";
import { toChangeset, toChangesetDetail, toReviewAction } from "../../shared/changeset-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown, shownOnce } from "../handler.ts";

type Params = { readonly workspaceID: string; readonly changesetID: string };
const named = ({ workspaceID: workspaceId, changesetID: changesetId }: Params) => ({
  workspaceId,
  changesetId,
});

export function changesetHandlers(core: Core): NounHandlers<typeof changesetRoutes> {
  return {
    list: async ({ caller, params, query: { status = null, ...query } }) =>
      shown(
        await listChangesets(core, { caller, workspaceId: params.workspaceID, status, query }),
        toPage(toChangeset),
      ),
    create: async ({ params, ...request }) =>
      shownOnce(await createChangeset(core, { ...request, workspaceId: params.workspaceID }), toChangeset),
    get: async ({ params, caller, query, signal }) => {
      const withPatch = query.patch === "true";
      return shown(
        await readChangeset(core, { ...named(params), caller, withPatch, signal }),
        toChangesetDetail,
      );
    },
    reject: async ({ params, ...request }) =>
      shownOnce(await rejectChangeset(core, { ...request, ...named(params) }), toChangeset),
    accept: async ({ params, ...request }) =>
      shownOnce(await acceptChangeset(core, { ...request, ...named(params) }), toChangeset),
    resolve: async ({ params, ...request }) =>
      shownOnce(await resolveChangeset(core, { ...request, ...named(params) }), toChangeset),
  };
}

export function reviewActionHandlers(core: Core): NounHandlers<typeof reviewActionRoutes> {
  const view = (action: ReviewApproval) =>
    toReviewAction(action, { policy: core.policy, now: core.clock.now() });
  return {
    get: async ({ caller, params: { workspaceID: workspaceId, actionID: actionId } }) =>
      shown(await readReviewAction(core, { caller, workspaceId, actionId }), view),
  };
}
