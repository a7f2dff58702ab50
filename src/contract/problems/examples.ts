// An example of each kind of refusal, by the status that it comes with. Pure.

import { AGENT_ID, APPROVAL_ID, type NamedExamples, REQUEST_ID, RUN_ID, WORKFLOW_ID } from "../story.ts";
import type { Problem, ProblemCode } from "./problem.ts";

const SHA = "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d";
const OTHER_SHA = "553c2077f0edc3d5dc5d17262f6aa498e69d6f8e";
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
  claimRequired: problem("A commit of a private repository that nobody has claimed", {
    code: "claim_required",
    error: `Free credits are for public repositories, and octo-org/hello-world is not public: nothing is taken of it before an account has claimed it. Claim it: ${CLAIM_URL}`,
    audience: "anon",
    reason: "repository_private",
    claim_url: CLAIM_URL,
  }),
  commitNotTheJobs: problem("A commit that the job does not run on", {
    code: "commit_not_the_jobs",
    error: `Commit ${OTHER_SHA} is not ${SHA}, which the job runs on. For a commit of a pull request name its number in "pull_request", in a job of GitHub Actions or GitLab CI.`,
  }),
  commitMissing: problem("The job has not sent its commit", {
    code: "commit_missing",
    error: `octo-org/hello-world is not public, and the service does not hold commit ${SHA}. It never clones such a repository: send the commit before the run, by PUT /v1/ci/commits/${SHA}. This version of the action and of the command do.`,
  }),
  commitUnknown: problem("No job has made a commit of the repository known", {
    code: "commit_unknown",
    error:
      "It is not known which commit of octo-org/hello-world this run is to work on: no job of its default branch has sent one. Run the agent once from the repository's CI, on its default branch, then ask again.",
  }),
  commitUnreachable: problem("The code host does not give the newest commit", {
    code: "commit_unreachable",
    error:
      "The newest commit of octo-org/hello-world could not be fetched from its code host: the code host does not accept the deploy key; add the public key that the agent's settings show to the repository's deploy keys, without write access.",
  }),
  repositoryAccessUnavailable: problem("The service cannot keep a deploy key", {
    code: "repository_access_unavailable",
    error:
      "This service has no key to seal a deploy key with. Its operator sets RUN_SECRETS_KEY, the same on every node.",
  }),
  uploadTooLarge: problem("The pack is too large", {
    code: "upload_too_large",
    error:
      "The pack has 1,204.3 MB, this service takes 1,000 MB. Send less history; an operator allows more with COMMIT_MAX_MB.",
  }),
  packRefused: problem("The pack cannot be used", {
    code: "pack_refused",
    error: "A file or folder of the commit is neither in the pack nor held.",
    reason: "object_absent",
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
    error: `Only the owner in person may activate a workflow. Open https://agent-service.example/agent/${AGENT_ID}?workflow=${WORKFLOW_ID}`,
    approve_url: `https://agent-service.example/approve/${APPROVAL_ID}`,
  }),
  scopeNeeded: problem("An access token that is not good for this", {
    code: "insufficient_scope",
    error:
      "The access token is not good for this: it needs the scopes agents:read runs:write. Ask for them in the application's sign-in.",
  }),
  roleNeeded: problem("A person whose role does not reach for this", {
    code: "role_needed",
    error:
      'The role "viewer" in this account may not do this: it needs "member". An owner or an admin of the account changes roles.',
  }),
  lastOwner: problem("An account's last owner", {
    code: "last_owner",
    error: "The account would have no owner left. Make somebody else an owner first.",
  }),
  alreadyMember: problem("Somebody who is a member already", {
    code: "already_member",
    error: "You are a member of this account already.",
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
  runUnfinished: problem("The run has not ended", {
    code: "run_unfinished",
    error: `Run ${RUN_ID} has not ended yet, and is not parked: nothing of it can have been delivered. Report once it has ended.`,
  }),
  deliveryReported: problem("The job has reported something else", {
    code: "delivery_reported",
    error: `This attempt of the job has reported another delivery of run ${RUN_ID}. It reports once.`,
  }),
  runNotParked: problem("The run is not parked", {
    code: "run_not_parked",
    error: `Run ${RUN_ID} is not parked: it waits for nothing. Read it to see where it stands.`,
  }),
  turnNotKept: problem("The turn is not kept", {
    code: "turn_not_kept",
    error: `Turn 12 of run ${RUN_ID} is not kept. It can be forked at turns 1–9.`,
  }),
  runNeedsMore: problem("The run was not given what it waits for", {
    code: "run_needs_more",
    error: `Run ${RUN_ID} waits for the answer to its question: send it as "message" (by the command "--message …").`,
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
  modelAccessRefused: problem("The access to a model that a job brings is not taken", {
    code: "model_access_refused",
    error:
      "The access token ended at 2026-03-09T09:59:58.000Z. Exchange a fresh ID token for one just before it is sent.",
    reason: "access_expired",
  }),
  dayCapReached: problem("The owner's cap a day is used up", {
    code: "day_cap_reached",
    error:
      'The owner lets the runs of this repository cost $10.00 a day (UTC), and $10.00 is used, or may be by runs in flight. The next day begins at 2026-03-10T00:00:00.000Z. The owner changes it with "agent-service agents policy 019cd1f4-2fc0-7a52-8d5b-4d2f8a1c9e01 --max-usd-per-day".',
    reason: "day_cap_reached",
    claim_url: null,
  }),
  priceUnknown: problem("The model has no price to hold the run to", {
    code: "price_unknown",
    error:
      'No price is known for the model "acme/large-1", so that a run cannot be held to an amount. Leave the limit of cost out (max_cost_usd; in a job max-cost) and limit its tokens (max_turn_tokens; in a job max-turn-tokens), use another model, or say what it costs (in RATES_FILE; in a job without a server by model-price).',
  }),
  modelAccessNone: problem("The run has no access to a model of its own", {
    code: "model_access_none",
    error: `Run ${RUN_ID} was submitted without "model_access": there is nothing to renew.`,
  }),
  mcpAccessNone: problem("The run has no access tokens for these MCP servers", {
    code: "mcp_access_none",
    error: `Run ${RUN_ID} was submitted without "mcp_access" for these servers: there is nothing to renew.`,
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
  storageUnavailable: problem("The storage of large files cannot be used", {
    code: "storage_unavailable",
    error:
      "The service's storage of large files and commits cannot be used now. Try again in a moment, or tell its operator.",
  }),
  contentsLost: problem("The stored contents are missing or damaged", {
    code: "contents_lost",
    error:
      "The contents are missing from the service's storage, or are damaged there. To try again does not help: send the same contents once more, or tell the service's operator.",
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
