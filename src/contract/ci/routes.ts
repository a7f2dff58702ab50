// The routes of CI jobs, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../component.ts";
import {
  byteBody,
  defineRoute,
  everybody,
  jobs,
  jobsAndAccounts,
  jsonBody,
  nounRoutes,
  openBody,
  query,
} from "../route.ts";
import { reportDeliveryRequestSchema, reportedDeliverySchema } from "../runs/delivery.ts";
import { renewServerAccessRequestSchema } from "../runs/mcp-auth.ts";
import { renewModelAccessRequestSchema } from "../runs/model-access.ts";
import {
  commitStateSchema,
  findCommitQuerySchema,
  MAX_PACK_BYTES,
  PACK_TYPE,
  sendCommitQuerySchema,
  sentCommitSchema,
} from "./commits.ts";
import {
  audienceResponseSchema,
  ciIdentitySchema,
  ciRepositorySchema,
  exchangeRequestSchema,
  exchangeResponseSchema,
  quotaSchema,
} from "./exchange.ts";
import { ciRunPageSchema, ciRunQuerySchema, runPageLinkSchema } from "./run-page.ts";

export const ciComponents: Components = {
  AudienceResponse: component(audienceResponseSchema, "What a job mints its token for."),
  ExchangeRequest: component(exchangeRequestSchema, "A job's token, by the names of RFC 8693.", {
    required: ["subject_token"],
  }),
  ExchangeResponse: component(exchangeResponseSchema, "A capability for one repository's agent."),
  Repository: component(ciRepositorySchema, "A repository at its code host."),
  Quota: component(quotaSchema, "What is left of a billing account's credits."),
  CiIdentity: component(ciIdentitySchema, "A job as this service sees it: its verified claims."),
  CommitState: component(commitStateSchema, "What the service holds of a commit."),
  SentCommit: component(sentCommitSchema, "A commit that the service holds now."),
  RunPageLink: component(runPageLinkSchema, "Where people read a run."),
  ReportDeliveryRequest: component(
    reportDeliveryRequestSchema,
    "What a job did with the results of its run.",
  ),
  ReportedDelivery: component(reportedDeliverySchema, "The same as it is kept."),
  CiRunPage: component(ciRunPageSchema, "A page of a run's events."),
};

const MAX_BODY_BYTES = 32 * 1024;

export const ciRoutes = nounRoutes("ci", "CI jobs", {
  audience: defineRoute("GET /v1/ci/oidc/audience", {
    callers: everybody,
    repeat: "safe",
    answer: audienceResponseSchema,
    summary: "Read the audience that a job's OIDC token must name",
    answers: { 200: "The audience." },
  }),
  exchange: defineRoute("POST /v1/ci/oidc/exchange", {
    callers: everybody,
    // A token is spent by its first arrival.
    repeat: "once",
    answer: exchangeResponseSchema,
    summary: "Exchange a CI job's OIDC token for a capability to run its repository's agent",
    description:
      "Names are those of RFC 8693, and other parameters are ignored, as RFC 6749 §3.2 has it. A token is good for one exchange: mint a fresh one for every call.",
    body: openBody(exchangeRequestSchema, MAX_BODY_BYTES),
    rate: "exchange",
    cacheControl: "no-store",
    answers: { 200: "The capability." },
    refusals: [401, 403, 503],
  }),
  revoke: defineRoute("DELETE /v1/ci/oidc/exchange", {
    callers: jobs,
    repeat: "safe",
    answer: "nothing",
    summary: "End the capability that this request carries",
    description: "Safe to repeat.",
    answers: { 204: "It has ended." },
  }),
  identity: defineRoute("GET /v1/ci/identity", {
    callers: jobs,
    repeat: "safe",
    answer: ciIdentitySchema,
    summary: "Read what this capability is bound to: the job's verified claims, its quota and its claim",
    description: "Changes nothing. `agent-service doctor` shows it.",
    cacheControl: "no-store",
    answers: { 200: "The job as this service sees it." },
    refusals: [404],
  }),
  readRun: defineRoute("GET /v1/ci/runs/{runID}", {
    callers: jobsAndAccounts,
    role: "viewer",
    repeat: "safe",
    answer: ciRunPageSchema,
    scopes: ["runs:read"],
    summary: "Read the durable events of a run, by cursor and long poll",
    description:
      "Events are AG-UI 1.0, numbered 1, 2, 3 … without a gap. RunEvent has those that this service writes; a client keeps or skips those that it does not know. 90 days after the run's end, unless the operator sets another time, they are deleted: 410.",
    query: query(ciRunQuerySchema),
    isTagged: true,
    cacheControl: "private, no-cache",
    answers: { 200: "A page of events." },
    refusals: [410],
  }),
  linkPage: defineRoute("POST /v1/ci/runs/{runID}/page", {
    callers: jobs,
    repeat: "safe",
    answer: runPageLinkSchema,
    summary: "Get the address of a run's page, to be printed in the job's log",
    description:
      "Where the agent's runs are shared (`ci_policy.share`; on for public repositories unless the owner sets it) the address has a token: whoever has it reads that one run, its events and its patch, until the events are deleted or the owner revokes it. It is no credential for this API. Each request makes another token; the newest ten of a run are good.",
    cacheControl: "no-store",
    answers: { 200: "The address." },
    refusals: [410],
  }),
  renewModelAccess: defineRoute("PUT /v1/ci/runs/{runID}/model-access", {
    callers: jobs,
    repeat: "safe",
    answer: "nothing",
    summary: "Renew the access to a model that a run was submitted with",
    description:
      "Only for jobs of the CI run that submitted it. The next request of the model uses the newer token; one that ends earlier than the kept one changes nothing. `run_finished` once the run has ended.",
    body: jsonBody(renewModelAccessRequestSchema, MAX_BODY_BYTES),
    cacheControl: "no-store",
    answers: { 204: "It is renewed." },
    refusals: [409],
  }),
  renewMcpAccess: defineRoute("PUT /v1/ci/runs/{runID}/mcp-access", {
    callers: jobs,
    repeat: "safe",
    answer: "nothing",
    summary: "Renew the access tokens for MCP servers that a run was submitted with",
    description:
      "Only for jobs of the CI run that submitted it, and for servers that it had tokens for. The next request to a server uses the newer token; one that ends earlier than the kept one changes nothing. `run_finished` once the run has ended.",
    body: jsonBody(renewServerAccessRequestSchema, MAX_BODY_BYTES),
    cacheControl: "no-store",
    answers: { 204: "They are renewed." },
    refusals: [409],
  }),
  reportDelivery: defineRoute("PUT /v1/ci/runs/{runID}/delivery", {
    callers: jobs,
    repeat: "safe",
    answer: reportedDeliverySchema,
    summary: "Report what the job did with a run's results: what was pushed, opened, commented and found",
    description:
      "Once the run has ended or is parked, else `run_unfinished`. An attempt of a job reports once: the same body again gets the same answer, another one `delivery_reported`. A later attempt, or a later job that attached to the run or continued it, takes its place. Readers see it as the job's word: nothing of it is verified.",
    body: jsonBody(reportDeliveryRequestSchema, MAX_BODY_BYTES),
    cacheControl: "no-store",
    answers: { 200: "It is kept." },
    refusals: [409, 410],
  }),
});

export const commitRoutes = nounRoutes("commits", "CI jobs", {
  find: defineRoute("GET /v1/ci/commits/{sha}", {
    callers: jobs,
    repeat: "safe",
    answer: commitStateSchema,
    summary: "Ask whether the service holds a commit, and what a pack of it may build on",
    description:
      "Refuses what a PUT would refuse, before any bytes are sent: 402 where the repository has to be claimed first, 403 for a commit that is not the job's.",
    query: query(findCommitQuerySchema),
    cacheControl: "no-store",
    answers: { 200: "What is held, and what may be sent." },
    refusals: [402],
  }),
  send: defineRoute("PUT /v1/ci/commits/{sha}", {
    callers: jobs,
    repeat: "safe",
    answer: sentCommitSchema,
    summary: "Send a commit with its recent history, as a git pack",
    description:
      "Needs Content-Length. The pack may be thin: it then builds on commits of `have` that `base` names. What is held is for runs of this repository alone, and is deleted some time after its last use. Safe to repeat.",
    query: query(sendCommitQuerySchema),
    body: byteBody(MAX_PACK_BYTES, [PACK_TYPE]),
    answers: { 201: "The service holds the commit." },
    refusals: [402, 422],
  }),
});
