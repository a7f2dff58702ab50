// /v1/workspaces/{workspaceID}/storage: adopt, read, cancel, roll back.

import type { AdoptionView, adoptionRoutes } from "../../../../contract/workspaces/adoption.ts";
import type { Core } from "../../../core/core.ts";
import { isoTime } from "../../../core/ports/problem.ts";
import { adoptStorage } from "../../../core/workspaces/adoption/adopt-storage.ts";
import type { Adoption } from "../../../core/workspaces/adoption/adoption.ts";
import {
  cancelAdoption,
  findAdoption,
  rollBackAdoption,
} from "../../../core/workspaces/adoption/change-adoption.ts";
import { type NounHandlers, shown } from "../handler.ts";
import { answerOperation, answerOperationOnce } from "./operations.ts";

export function adoptionHandlers(core: Core): NounHandlers<typeof adoptionRoutes> {
  return {
    start: async ({ caller, params, body, idempotencyKey }) =>
      answerOperationOnce(
        await adoptStorage(core, { caller, workspaceId: params.workspaceID, body, idempotencyKey }),
      ),
    get: async ({ caller, params }) =>
      shown(await findAdoption(core, { caller, workspaceId: params.workspaceID }), toAdoption),
    cancel: async ({ caller, params }) =>
      shown(await cancelAdoption(core, { caller, workspaceId: params.workspaceID }), toAdoption),
    rollback: async ({ caller, params }) =>
      answerOperation(await rollBackAdoption(core, { caller, workspaceId: params.workspaceID })),
  };
}

function toAdoption(adoption: Adoption): AdoptionView {
  const { agentId, status, sha, objects, bytes, error, revisionId, operationId, createdAt, endedAt } =
    adoption;
  return {
    agent_id: agentId,
    status,
    sha,
    objects,
    bytes,
    error,
    revision_id: revisionId,
    operation_id: operationId,
    created_at: isoTime(createdAt),
    ended_at: endedAt === null ? null : isoTime(endedAt),
  };
}
