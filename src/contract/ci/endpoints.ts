// Where the routes of CI jobs are. No schema loads here: the client needs this before its first request.

import { type Endpoint, everybody, jobs, jobsAndAccounts } from "../route.ts";

export const ciEndpoints = {
  audience: {
    method: "GET",
    path: "/v1/ci/oidc/audience",
    callers: everybody,
    repeat: "safe",
    answer: async () => (await import("./exchange.ts")).audienceResponseSchema,
  },
  exchange: {
    method: "POST",
    path: "/v1/ci/oidc/exchange",
    callers: everybody,
    // A token is spent by its first arrival.
    repeat: "once",
    answer: async () => (await import("./exchange.ts")).exchangeResponseSchema,
  },
  revoke: {
    method: "DELETE",
    path: "/v1/ci/oidc/exchange",
    callers: jobs,
    repeat: "safe",
    answer: "nothing",
  },
  identity: {
    method: "GET",
    path: "/v1/ci/identity",
    callers: jobs,
    repeat: "safe",
    answer: async () => (await import("./exchange.ts")).ciIdentitySchema,
  },
  readRun: {
    method: "GET",
    path: "/v1/ci/runs/{runID}",
    callers: jobsAndAccounts,
    repeat: "safe",
    answer: async () => (await import("./run-page.ts")).ciRunPageSchema,
  },
  linkPage: {
    method: "POST",
    path: "/v1/ci/runs/{runID}/page",
    callers: jobs,
    repeat: "safe",
    answer: async () => (await import("./run-page.ts")).runPageLinkSchema,
  },
  renewModelAccess: {
    method: "PUT",
    path: "/v1/ci/runs/{runID}/model-access",
    callers: jobs,
    repeat: "safe",
    answer: "nothing",
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

/** Commits that jobs send to the service. */
export const commitEndpoints = {
  find: {
    method: "GET",
    path: "/v1/ci/commits/{sha}",
    callers: jobs,
    repeat: "safe",
    answer: async () => (await import("./commits.ts")).commitStateSchema,
  },
  send: {
    method: "PUT",
    path: "/v1/ci/commits/{sha}",
    callers: jobs,
    repeat: "safe",
    answer: async () => (await import("./commits.ts")).sentCommitSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
