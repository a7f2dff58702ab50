// An example of each kind of refusal, by the status that it comes with. Pure.

import type { NamedExamples } from "../named-examples.ts";
import { AGENT_ID, REQUEST_ID, RUN_ID } from "../story.ts";
import type { Problem, ProblemCode } from "./problem.ts";

const CLAIM_URL = "https://agent-service.example/claim/svc_claim_…";

export const problemExamples = {
  invalidRequest: problem("A field is wrong", {
    code: "invalid_request",
    error: '"limit" must be a whole number from 1 to 100.',
    fields: [{ field: "limit", allowed: "must be a whole number from 1 to 100" }],
  }),
  credentialUnknown: problem("The credential is not known", {
    code: "unauthorized",
    error: "The bearer credential is not known to this service.",
  }),
  tokenExpired: problem("An exchange: the job's token has ended", {
    code: "invalid_grant",
    error: "The token has expired. Mint a fresh one just before each exchange.",
    reason: "token_expired",
  }),
  audienceMismatch: problem("An exchange: the job's token is for another", {
    code: "invalid_target",
    error: 'The token was made for another audience. Mint it for the audience "agent-service.example".',
    reason: "audience_mismatch",
    expected: "agent-service.example",
    got: "https://github.com/octo-org",
  }),
  creditsEnded: problem("The free credits are used up", {
    code: "insufficient_credits",
    error: `The free credits of octo-org/hello-world's owner are used up until 2026-03-10T00:00:00.000Z. Claim the repository to go on: ${CLAIM_URL}`,
    audience: "anon",
    reason: "credits_ended",
    claim_url: CLAIM_URL,
  }),
  balanceEnded: problem("The account's credits are used up", {
    code: "insufficient_credits",
    error: "The account has not enough credits for a run.",
    audience: "registered_free",
    reason: "balance_ended",
  }),
  agentOfAnother: problem("It belongs to another", {
    code: "forbidden",
    error: `Agent ${AGENT_ID} is not the one that this credential may run.`,
  }),
  ownerNeeded: problem("An AI client asked for what is the owner's", {
    code: "owner_needed",
    error: `Only the owner in person may confirm a schedule. Open https://agent-service.example/agent/${AGENT_ID}`,
  }),
  policyRefused: problem("The repository's owner does not allow the CI job", {
    code: "invalid_grant",
    error: `The repository's owner allows only event push; this job has event issue_comment. The owner changes that with "agent-service agents policy ${AGENT_ID}".`,
    reason: "policy_refused",
    expected: "event push",
    got: "event issue_comment",
  }),
  notFound: problem("It is not there", { code: "not_found", error: `There is no run ${RUN_ID}.` }),
  runFinished: problem("The run has ended", {
    code: "run_finished",
    error: `Run ${RUN_ID} has ended already: completed.`,
  }),
  keyInFlight: problem("The same request is being answered", {
    code: "idempotency_key_in_flight",
    error: 'A request with idempotency key "build-4711" is still being answered. Send it again in a moment.',
  }),
  eventsExpired: problem("The events were deleted", {
    code: "events_expired",
    error: `The events of run ${RUN_ID} are not kept any more. Its record is at GET /v1/agents/${AGENT_ID}/runs/${RUN_ID}.`,
  }),
  preconditionFailed: problem("It was changed meanwhile", {
    code: "precondition_failed",
    error: "etag mismatch",
    current_etag: "1235",
  }),
  rangeNotSatisfiable: problem("The range begins after the end", {
    code: "range_not_satisfiable",
    error: 'Range "bytes=5000-" asks for bytes that are not there: there are 4096.',
  }),
  bodyTooLarge: problem("The body is too large", {
    code: "body_too_large",
    error: "The body may have 1048576 bytes at most.",
  }),
  unsupportedMediaType: problem("The body's type is not read", {
    code: "unsupported_media_type",
    error: 'The body must be application/json, got "text/plain".',
  }),
  pullRequestUnsupported: problem("The provider keeps no head of a pull request", {
    code: "pull_request_unsupported",
    error:
      'The head of a pull request can be fetched in jobs of GitHub Actions and GitLab CI, and this is a job of Buildkite. Leave "pull_request" out: the run then works on the job\'s own commit.',
  }),
  sessionKeyInFlight: problem("Another request takes the session key", {
    code: "session_key_in_flight",
    error: 'Session key "thread-128" is being taken by another request. Send this one again in a moment.',
  }),
  keyReused: problem("The key belongs to another request", {
    code: "idempotency_key_reused",
    error: 'Idempotency key "build-4711" was used for a different request within 24 hours. Use a new key.',
  }),
  upgradeRequired: problem("No WebSocket was asked for", {
    code: "upgrade_required",
    error: "This is a WebSocket. Ask for it with the headers Connection: Upgrade and Upgrade: websocket.",
  }),
  rateLimited: problem("Too many requests", {
    code: "rate_limited",
    error: "Too many requests from this address. Wait and try again.",
  }),
  concurrencyReached: problem("The plan's runs are all in flight", {
    code: "concurrency_reached",
    error: "2 runs of this account are in flight, its plan allows 2. Try again when one has ended.",
  }),
  internal: problem("A fault of the service", { code: "internal", error: "internal error" }),
  unavailable: problem("The issuer's keys cannot be read", {
    code: "unavailable",
    error: "The keys of the issuer can not be read now.",
    reason: "keys_unavailable",
  }),
  storeUnavailable: problem("The service's store cannot answer", {
    code: "unavailable",
    error: "The service's store cannot answer now. Try again in a moment.",
  }),
  overloaded: problem("The node is busy", {
    code: "overloaded",
    error: "This node has 2000 requests at work, and takes no more now. Try again in a moment.",
  }),
  storageFull: problem("The storage is full", {
    code: "storage_full",
    error: "The storage of the service is full. Nothing was changed. Try again later, or tell its operator.",
  }),
} satisfies NamedExamples<Problem>;

export type ProblemExampleName = keyof typeof problemExamples;

function problem(summary: string, value: Omit<Problem, "code" | "request_id"> & { code: ProblemCode }) {
  return { summary, value: { ...value, request_id: REQUEST_ID } };
}
