// Runs, in the OpenAPI document. Pure.

import { DEFAULT_PAGE_RUNS, MAX_PAGE_RUNS, MAX_SESSION_KEY_CHARS } from "../runs/run.ts";
import {
  agentId,
  answer,
  capabilityOrKey,
  headers,
  idempotencyKey,
  json,
  queryParameter,
  runId,
} from "./parts.ts";
import { problems } from "./problem-answers.ts";

export const runPaths = {
  "/v1/agents/{agentId}/runs": {
    get: {
      operationId: "listRuns",
      tags: ["Runs"],
      summary: "An agent's runs, newest first",
      security: capabilityOrKey,
      parameters: [
        agentId,
        queryParameter("before", "The id of the run that the page comes after.", {
          type: "string",
          format: "uuid",
        }),
        queryParameter("session_key", "Only the runs of the session that this key names.", {
          type: "string",
          minLength: 1,
          maxLength: MAX_SESSION_KEY_CHARS,
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
          ...answer("A page of runs.", "RunList", "runList"),
          headers: headers("X-Request-Id", "Link"),
        },
        ...problems(400, 401, 403, 404, 429),
      },
    },
    post: {
      operationId: "submitRun",
      tags: ["Runs"],
      summary: "Queue a run",
      description:
        "With an idempotency key it is safe to repeat for 24 hours. `session_id` goes on in a session that is there; `session_key` in the one that this key of the caller's own names, which its first use begins, or `new_session` anew; both at once are refused. Keys are the agent's: whoever may submit runs of it reaches each of its sessions by the key. Runs of one session that change files take turns. With `pull_request` a job of GitHub or GitLab asks for the head of a pull request of its repository in the place of its own commit: a run whose `head_sha` is not in the history of that head any more fails and says so.",
      security: capabilityOrKey,
      parameters: [agentId, idempotencyKey],
      requestBody: {
        required: true,
        ...json("SubmitRunRequest", "submitMessage", "submitMessages", "submitKeyed", "submitPullRequest"),
      },
      responses: {
        202: {
          ...answer(
            "Queued; or, with the key of an earlier request, the run that it made.",
            "SubmitRunResponse",
            "runSubmitted",
          ),
          headers: headers("X-Request-Id", "X-Svc-Run-Id", "X-Svc-Session-Id", "X-Svc-Idempotent-Replay"),
        },
        ...problems(400, 401, 402, 403, 404, 409, 413, 415, 422, 429),
      },
    },
  },
  "/v1/agents/{agentId}/runs/{runId}": {
    get: {
      operationId: "getRun",
      tags: ["Runs"],
      summary: "A run's status and accounting",
      security: capabilityOrKey,
      parameters: [agentId, runId],
      responses: {
        200: answer("The run.", "Run", "runCompleted", "runQueued", "runFailed"),
        ...problems(401, 403, 404, 429),
      },
    },
  },
  "/v1/agents/{agentId}/runs/{runId}/cancel": {
    post: {
      operationId: "cancelRun",
      tags: ["Runs"],
      summary: "Ask a run to end",
      security: capabilityOrKey,
      parameters: [agentId, runId],
      responses: {
        202: answer("It was asked.", "CancelRunResponse", "runCancelling"),
        ...problems(401, 403, 404, 409, 429),
      },
    },
  },
} as const;
