// /v1/workspaces/{workspaceID}/context-items: list, make, delete.

import type { contextItemRoutes } from "../../../../contract/workspaces/context-items.ts";
import type { Core } from "../../../core/core.ts";
import {
  createContextItem,
  deleteContextItem,
  listContextItems,
} from "../../../core/workspaces/context-items/context-items.ts";
import { toContextItem } from "../../shared/workspace-things-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown, shownOnce } from "../handler.ts";

export function contextItemHandlers(core: Core): NounHandlers<typeof contextItemRoutes> {
  return {
    list: async ({ caller, params, query }) => {
      const request = { caller, workspaceId: params.workspaceID, query };
      return shown(await listContextItems(core, request), toPage(toContextItem));
    },
    create: async ({ params, ...request }) =>
      shownOnce(
        await createContextItem(core, { ...request, workspaceId: params.workspaceID }),
        toContextItem,
      ),
    delete: async ({ caller, params }) => {
      const { workspaceID: workspaceId, contextItemID: itemId } = params;
      return shown(await deleteContextItem(core, { caller, workspaceId, itemId }), toContextItem);
    },
  };
}
