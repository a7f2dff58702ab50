// /v1/agents/{agentID}/runs: submit, list, read, resume, fork, cancel.

import { ok } from "../../../../base/result.ts";
import type { runRoutes } from "../../../../contract/runs/routes.ts";
import type { SubmitRunResponse } from "../../../../contract/runs/run.ts";
import type { Core } from "../../../core/core.ts";
import { cancelRun } from "../../../core/runs/cancel-run.ts";
import { givenBy, resumeRun } from "../../../core/runs/continue-run.ts";
import { forkRun } from "../../../core/runs/fork-run.ts";
import { listRuns } from "../../../core/runs/list-runs.ts";
import { findRun } from "../../../core/runs/read-run.ts";
import type { Submitted } from "../../../core/runs/submission.ts";
import type { RunSubmitter } from "../../../core/runs/submit-run.ts";
import { placeRuns } from "../../../core/workspaces/placed-runs/place-runs.ts";
import { toPlacedRun } from "../../shared/run-view.ts";
import { type NounHandlers, shown } from "../handler.ts";
import { submittedHeaders } from "../submitted-headers.ts";

export function runHandlers(core: Core, submitter: RunSubmitter): NounHandlers<typeof runRoutes> {
  return {
    submit: async ({ caller, params, body, idempotencyKey }) => {
      const agentId = params.agentID;
      const submitted = await submitter.submit({ caller, agentId, body, idempotencyKey });
      if (!submitted.ok) return submitted;
      return ok({
        body: toSubmitted(submitted.value),
        headers: submittedHeaders(submitted.value),
        isReplay: submitted.value.isReplay,
      });
    },
    list: async ({ caller, params, query }) => {
      const { before = null, session_key: sessionKey = null, limit } = query;
      const agentId = params.agentID;
      const page = await listRuns(core, { caller, agentId, sessionKey, before, limit });
      if (!page.ok) return page;
      const { runs, next } = page.value;
      const body = (await placeRuns(core, runs)).map(toPlacedRun);
      if (next === null) return ok({ body });
      const key = sessionKey === null ? "" : `&session_key=${encodeURIComponent(sessionKey)}`;
      const url = `${core.policy.baseUrl}/v1/agents/${agentId}/runs?limit=${limit}&before=${next}${key}`;
      return ok({ body, headers: { Link: `<${url}>; rel="next"` } });
    },
    get: async ({ caller, params }) => {
      const found = await findRun(core, { caller, agentId: params.agentID, runId: params.runID });
      if (!found.ok) return found;
      const [place] = (await placeRuns(core, [found.value])).map((placed) => placed.place);
      return ok({ body: toPlacedRun({ run: found.value, place }) });
    },
    resume: async ({ caller, params, body }) => {
      const request = { caller, agentId: params.agentID, runId: params.runID, given: givenBy(body) };
      return shown(await resumeRun(core, request), toSubmitted);
    },
    fork: async ({ caller, params, body, idempotencyKey }) => {
      const request = { caller, agentId: params.agentID, runId: params.runID, body, idempotencyKey };
      const forked = await forkRun(core, submitter, request);
      if (!forked.ok) return forked;
      return ok({
        body: toSubmitted(forked.value),
        headers: submittedHeaders(forked.value),
        isReplay: forked.value.isReplay,
      });
    },
    cancel: async ({ caller, params }) =>
      shown(await cancelRun(core, { caller, agentId: params.agentID, runId: params.runID }), () => ({
        runId: params.runID,
        status: "cancelling" as const,
      })),
  };
}

/** A submission, or a continuation, as the contract shows it. */
export function toSubmitted({ runId, sessionId, continuedAfter }: Submitted): SubmitRunResponse {
  const continued = continuedAfter === undefined ? {} : { continued_after: continuedAfter };
  return { run_id: runId, session_id: sessionId, ...continued };
}
