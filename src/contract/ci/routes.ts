// The routes of CI jobs. Pure.

import { defineRoute, jsonBody, nounRoutes, query } from "../route.ts";
import { ciRunQuerySchema } from "./ci-run-query.ts";
import { ciEndpoints } from "./endpoints.ts";
import { exchangeRequestSchema } from "./exchange.ts";

const MAX_BODY_BYTES = 32 * 1024;

export const ciRoutes = nounRoutes("ci", "CI jobs", {
  audience: defineRoute(ciEndpoints.audience, {
    summary: "Read the audience that a job's OIDC token must name",
    answers: { 200: "The audience." },
  }),
  exchange: defineRoute(ciEndpoints.exchange, {
    summary: "Exchange a CI job's OIDC token for a capability to run its repository's agent",
    description:
      "Names are those of RFC 8693. A token is good for one exchange: mint a fresh one for every call.",
    body: jsonBody(exchangeRequestSchema, MAX_BODY_BYTES, "json_or_form"),
    rate: "exchange",
    cacheControl: "no-store",
    answers: { 200: "The capability." },
    refusals: [401, 403, 503],
  }),
  revoke: defineRoute(ciEndpoints.revoke, {
    summary: "End the capability that this request carries",
    description: "Safe to repeat.",
    answers: { 204: "It has ended." },
  }),
  identity: defineRoute(ciEndpoints.identity, {
    summary: "Read what this capability is bound to: the job's verified claims, its quota and its claim",
    description: "Changes nothing. `agent-service doctor` shows it.",
    cacheControl: "no-store",
    answers: { 200: "The job as this service sees it." },
    refusals: [404],
  }),
  readRun: defineRoute(ciEndpoints.readRun, {
    summary: "Read the durable events of a run, by cursor and long poll",
    description:
      "Events are AG-UI 1.0, numbered 1, 2, 3 … without a gap. RunEvent has those that this service writes; a client keeps or skips those that it does not know. 90 days after the run's end, unless the operator sets another time, they are deleted: 410.",
    query: query(ciRunQuerySchema, {
      after: "Events with a higher `seq`.",
      wait: "Seconds to wait for the first new event.",
      limit: "Events at most.",
    }),
    isTagged: true,
    cacheControl: "private, no-cache",
    answers: { 200: "A page of events." },
    refusals: [410],
  }),
});
