// An adoption as the contract shows it. Pure.

import type { AdoptionView } from "../../../contract/workspaces/adoption.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { Adoption } from "../../core/workspaces/adoption/adoption.ts";

export function toAdoption(adoption: Adoption): AdoptionView {
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
