// Where the routes of claims are. No schema loads here: the client needs this before its first request.

import { type Endpoint, owners } from "../route.ts";

export const claimEndpoints = {
  create: {
    method: "POST",
    path: "/v1/ci/claim",
    callers: owners,
    repeat: "safe",
    answer: async () => (await import("./claim.ts")).claimResponseSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
