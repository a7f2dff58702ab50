// /v1/workspaces/{workspaceID}/retention: contents that are kept and for how long, and pins.

import { ok } from "../../../../base/result.ts";
import type { retentionRoutes } from "../../../../contract/workspaces/retention/routes.ts";
import type { Core } from "../../../core/core.ts";
import { createPin, deletePin } from "../../../core/workspaces/retention/pins.ts";
import { readRetention } from "../../../core/workspaces/retention/read-retention.ts";
import { toPin, toRetention } from "../../shared/retention-view.ts";
import { type NounHandlers, shown, shownOnce } from "../handler.ts";

export function retentionHandlers(core: Core): NounHandlers<typeof retentionRoutes> {
  return {
    get: async ({ caller, params, query: { view, ...query } }) => {
      const request = { caller, workspaceId: params.workspaceID, view, query };
      const read = await readRetention(core, request);
      return read.ok ? ok({ body: toRetention(read.value) }) : read;
    },
    createPin: async ({ caller, params, body, idempotencyKey }) =>
      shownOnce(
        await createPin(core, { caller, workspaceId: params.workspaceID, body, idempotencyKey }),
        toPin,
      ),
    deletePin: async ({ caller, params }) =>
      shown(await deletePin(core, { caller, workspaceId: params.workspaceID, pinId: params.pinID }), toPin),
  };
}
