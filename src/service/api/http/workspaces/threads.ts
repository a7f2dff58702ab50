// /v1/workspaces/{workspaceID}/threads: list, begin.

import type { threadRoutes } from "../../../../contract/workspaces/threads.ts";
import type { Core } from "../../../core/core.ts";
import { createThread, listThreads } from "../../../core/workspaces/threads/threads.ts";
import { toThread } from "../../shared/workspace-things-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown, shownOnce } from "../handler.ts";

export function threadHandlers(core: Core): NounHandlers<typeof threadRoutes> {
  return {
    list: async ({ caller, params, query }) =>
      shown(await listThreads(core, { caller, workspaceId: params.workspaceID, query }), toPage(toThread)),
    create: async ({ params, ...request }) =>
      shownOnce(await createThread(core, { ...request, workspaceId: params.workspaceID }), toThread),
  };
}
