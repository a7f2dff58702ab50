// /v1/workspaces/{workspaceID}/copies: list, create, read, delete, save.

import type { copyRoutes } from "../../../../contract/workspaces/copies/routes.ts";
import type { Core } from "../../../core/core.ts";
import { requestCheckpoint } from "../../../core/workspaces/copies/checkpoint.ts";
import { createCopy } from "../../../core/workspaces/copies/create-copy.ts";
import { deleteCopy } from "../../../core/workspaces/copies/delete-copy.ts";
import { findCopy, listCopies } from "../../../core/workspaces/copies/read-copies.ts";
import { toCopy } from "../../shared/copy-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown } from "../handler.ts";
import { answerOperation, answerOperationOnce } from "./operations.ts";

export function copyHandlers(core: Core): NounHandlers<typeof copyRoutes> {
  return {
    list: async ({ caller, params, query }) =>
      shown(await listCopies(core, { caller, workspaceId: params.workspaceID, query }), toPage(toCopy)),
    create: async ({ caller, params, body, idempotencyKey }) =>
      answerOperationOnce(
        await createCopy(core, { caller, workspaceId: params.workspaceID, body, idempotencyKey }),
      ),
    get: async ({ caller, params }) => {
      const { workspaceID: workspaceId, workingCopyID: copyId } = params;
      return shown(await findCopy(core, { caller, workspaceId, copyId }), toCopy);
    },
    delete: async ({ caller, params }) => {
      const { workspaceID: workspaceId, workingCopyID: copyId } = params;
      return answerOperation(await deleteCopy(core, { caller, workspaceId, copyId }));
    },
    checkpoint: async ({ caller, params, body, idempotencyKey }) =>
      answerOperationOnce(
        await requestCheckpoint(core, { caller, workspaceId: params.workspaceID, body, idempotencyKey }),
      ),
  };
}
