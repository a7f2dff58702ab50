// /v1/agents/{agentID}/repository-access: read, chosen, taken away.

import type { repositoryAccessRoutes } from "../../../../contract/repository-access.ts";
import type { Core } from "../../../core/core.ts";
import {
  chooseRepositoryAccess,
  readRepositoryAccess,
  removeRepositoryAccess,
} from "../../../core/repository-access/manage-access.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function repositoryAccessHandlers(core: Core): NounHandlers<typeof repositoryAccessRoutes> {
  return {
    get: async ({ caller, params }) =>
      shown(await readRepositoryAccess(core, { caller, agentId: params.agentID }), (access) => access),
    put: async ({ caller, params, body: { kind }, requestId }) =>
      shown(
        await chooseRepositoryAccess(core, { caller, agentId: params.agentID, kind, requestId }),
        (access) => access,
      ),
    delete: async ({ caller, params, requestId }) =>
      shown(
        await removeRepositoryAccess(core, { caller, agentId: params.agentID, requestId }),
        (access) => access,
      ),
  };
}
