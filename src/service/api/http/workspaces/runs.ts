// /v1/workspaces/{workspaceID}/runs: list, submit.

import { ok } from "../../../../base/result.ts";
import type { workspaceRunRoutes } from "../../../../contract/workspaces/runs.ts";
import { listWorkspaceRuns, submitWorkspaceRun } from "../../../core/workspaces/runs/workspace-runs.ts";
import { toPlacedRun } from "../../shared/run-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import type { FaceParts } from "../face.ts";
import { type NounHandlers, shown } from "../handler.ts";
import { submittedHeaders } from "../submitted-headers.ts";

export function workspaceRunHandlers({
  core,
  submitter,
}: Pick<FaceParts, "core" | "submitter">): NounHandlers<typeof workspaceRunRoutes> {
  return {
    list: async ({ caller, params, query }) => {
      const request = { caller, workspaceId: params.workspaceID, query };
      return shown(await listWorkspaceRuns(core, request), toPage(toPlacedRun));
    },
    submit: async ({ params, ...request }) => {
      const submitted = await submitWorkspaceRun(core, submitter, {
        ...request,
        workspaceId: params.workspaceID,
      });
      if (!submitted.ok) return submitted;
      const { runId, sessionId } = submitted.value;
      return ok({
        body: { run_id: runId, session_id: sessionId },
        headers: submittedHeaders(submitted.value),
        isReplay: submitted.value.isReplay,
      });
    },
  };
}
