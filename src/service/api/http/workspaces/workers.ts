// /v1/workspaces/{workspaceID}/workers: list, start, read.

import { ok } from "../../../../base/result.ts";
import type { workerRoutes } from "../../../../contract/workspaces/workers/routes.ts";
import { findWorker, listWorkers } from "../../../core/workspaces/workers/read-workers.ts";
import { startWorker } from "../../../core/workspaces/workers/start-worker.ts";
import { toWorker } from "../../shared/worker-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import type { FaceParts } from "../face.ts";
import { type NounHandlers, shown } from "../handler.ts";
import { submittedHeaders } from "../submitted-headers.ts";

export function workerHandlers({
  core,
  submitter,
}: Pick<FaceParts, "core" | "submitter">): NounHandlers<typeof workerRoutes> {
  return {
    list: async ({ caller, params, query }) =>
      shown(await listWorkers(core, { caller, workspaceId: params.workspaceID, query }), toPage(toWorker)),
    start: async ({ params, ...request }) => {
      const started = await startWorker(core, submitter, { ...request, workspaceId: params.workspaceID });
      if (!started.ok) return started;
      const { worker, sessionId, isReplay } = started.value;
      const headers = submittedHeaders({ runId: worker.worker.runId, sessionId });
      return ok({ body: toWorker(worker), headers, isReplay });
    },
    get: async ({ caller, params }) => {
      const { workspaceID: workspaceId, workerRequestID: workerId } = params;
      return shown(await findWorker(core, { caller, workspaceId, workerId }), toWorker);
    },
  };
}
