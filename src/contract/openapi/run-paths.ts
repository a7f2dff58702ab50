// Runs, in the OpenAPI document. Pure.

import { DEFAULT_PAGE_RUNS, MAX_PAGE_RUNS } from "../run.ts";
import {
  agentId,
  answer,
  capabilityOrKey,
  header,
  idempotencyKey,
  problems,
  queryParameter,
  ref,
  runId,
} from "./parts.ts";

export const runPaths = {
  "/v1/agents/{agentId}/runs": {
    get: {
      operationId: "listRuns",
      summary: "An agent's runs, newest first",
      security: capabilityOrKey,
      parameters: [
        agentId,
        queryParameter("before", "The id of the run that the page comes after.", {
          type: "string",
          format: "uuid",
        }),
        queryParameter("limit", "Runs at most.", {
          type: "integer",
          minimum: 1,
          maximum: MAX_PAGE_RUNS,
          default: DEFAULT_PAGE_RUNS,
        }),
      ],
      responses: {
        200: {
          ...answer("A page of runs.", "RunList"),
          headers: { Link: header('The next page, `<…>; rel="next"`, where there is one.') },
        },
        ...problems(400, 401, 403, 404),
      },
    },
    post: {
      operationId: "submitRun",
      summary: "Queue a run",
      description: "With an idempotency key it is safe to repeat for 24 hours.",
      security: capabilityOrKey,
      parameters: [agentId, idempotencyKey],
      requestBody: { required: true, content: { "application/json": { schema: ref("SubmitRunRequest") } } },
      responses: {
        202: {
          ...answer(
            "Queued; or, with the key of an earlier request, the run that it made.",
            "SubmitRunResponse",
          ),
          headers: {
            "X-Svc-Run-Id": header("The run's id."),
            "X-Svc-Session-Id": header("The session's id."),
            "X-Svc-Idempotent-Replay": header('"true" when the run was made by an earlier request.'),
          },
        },
        ...problems(400, 401, 402, 403, 404, 409, 413, 415, 422, 429),
      },
    },
  },
  "/v1/agents/{agentId}/runs/{runId}": {
    get: {
      operationId: "getRun",
      summary: "A run's status and accounting",
      security: capabilityOrKey,
      parameters: [agentId, runId],
      responses: { 200: answer("The run.", "Run"), ...problems(401, 403, 404) },
    },
  },
  "/v1/agents/{agentId}/runs/{runId}/cancel": {
    post: {
      operationId: "cancelRun",
      summary: "Ask a run to end",
      security: capabilityOrKey,
      parameters: [agentId, runId],
      responses: { 202: answer("It was asked.", "CancelRunResponse"), ...problems(401, 403, 404, 409) },
    },
  },
} as const;
