// CI jobs: the exchange, the claim, the events of a run, in the OpenAPI document. Pure.

import { DEFAULT_PAGE_EVENTS, MAX_PAGE_EVENTS, MAX_WAIT_SECONDS } from "../ci/ci-run.ts";
import {
  answer,
  apiKey,
  capability,
  capabilityOrKey,
  headers,
  ifNoneMatch,
  json,
  kept,
  media,
  queryParameter,
  runId,
  unchanged,
} from "./parts.ts";
import { problems } from "./problem-answers.ts";

export const ciPaths = {
  "/v1/ci/oidc/audience": {
    get: {
      operationId: "getAudience",
      tags: ["CI jobs"],
      summary: "The audience that a job's OIDC token must name",
      security: [],
      responses: { 200: answer("The audience.", "AudienceResponse", "audience"), ...problems(429) },
    },
  },
  "/v1/ci/oidc/exchange": {
    post: {
      operationId: "exchangeToken",
      tags: ["CI jobs"],
      summary: "Exchange a CI job's OIDC token for a capability to run its repository's agent",
      description: "RFC 8693 names. A token is good for one exchange; mint a fresh one for every call.",
      security: [],
      requestBody: {
        required: true,
        content: {
          "application/json": media("ExchangeRequest", "exchangeToken", "exchangeTokenForAccount"),
          "application/x-www-form-urlencoded": media("ExchangeRequest", "exchangeToken"),
        },
      },
      responses: {
        200: answer("The capability.", "ExchangeResponse", "exchangedFree", "exchangedClaimed"),
        ...problems(400, 401, 403, 413, 415, 429, 503),
      },
    },
    delete: {
      operationId: "revokeCapability",
      tags: ["CI jobs"],
      summary: "End the capability that this request carries",
      security: capability,
      responses: {
        204: { description: "It has ended.", headers: headers("X-Request-Id") },
        ...problems(401, 403, 429),
      },
    },
  },
  "/v1/ci/identity": {
    get: {
      operationId: "readIdentity",
      tags: ["CI jobs"],
      summary: "What this capability is bound to: the job's verified claims, its quota and its claim",
      description: "For a job alone, and changes nothing. `agent-service doctor` shows it.",
      security: capability,
      responses: {
        200: answer("The job as this service sees it.", "CiIdentity", "identity"),
        ...problems(401, 403, 404, 429),
      },
    },
  },
  "/v1/ci/claim": {
    post: {
      operationId: "claimRepository",
      tags: ["CI jobs"],
      summary: "Ask for a repository's agent, to pay for it and own it",
      description:
        "The owner's alone. The claim is pending until a job of the repository that only a writer can start names the account in its exchange. Safe to repeat with the same account.",
      security: apiKey,
      requestBody: {
        required: true,
        ...json("ClaimRequest", "claimRepository"),
      },
      responses: {
        200: answer("The agent is this account's.", "ClaimResponse", "claimAccepted"),
        202: answer("The claim waits for a job of the repository.", "ClaimResponse", "claimPending"),
        ...problems(400, 401, 403, 404, 409, 413, 415, 429),
      },
    },
  },
  "/v1/ci/runs/{runId}": {
    get: {
      operationId: "readCiRun",
      tags: ["CI jobs"],
      summary: "The durable events of a run, by cursor and long poll",
      description:
        "Events are AG-UI 1.0, numbered 1, 2, 3 … without a gap. RunEvent has those that this service writes; a client keeps or skips those that it does not know. Some time after the run's end, 90 days unless the operator says otherwise, they are deleted: 410.",
      security: capabilityOrKey,
      parameters: [
        runId,
        queryParameter("after", "Events with a higher `seq`.", { type: "integer", minimum: 0, default: 0 }),
        queryParameter("wait", "Seconds to wait for the first new event.", {
          type: "integer",
          minimum: 0,
          maximum: MAX_WAIT_SECONDS,
          default: 0,
        }),
        queryParameter("limit", "Events at most.", {
          type: "integer",
          minimum: 1,
          maximum: MAX_PAGE_EVENTS,
          default: DEFAULT_PAGE_EVENTS,
        }),
        ifNoneMatch,
      ],
      responses: {
        200: kept("A page of events.", "CiRunPage", "runEvents", "runEventsNone"),
        304: unchanged,
        ...problems(400, 401, 403, 404, 410, 429),
      },
    },
  },
} as const;
