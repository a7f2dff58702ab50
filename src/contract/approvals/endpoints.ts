// Where the routes of approvals are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, owners } from "../route.ts";

const approval = async () => (await import("./approval.ts")).approvalSchema;
const common = { callers: accounts, repeat: "safe" } as const;

export const approvalEndpoints = {
  list: {
    ...common,
    method: "GET",
    path: "/v1/approvals",
    answer: async () => (await import("./approval.ts")).approvalListSchema,
  },
  get: { ...common, method: "GET", path: "/v1/approvals/{approvalID}", answer: approval },
  approve: {
    ...common,
    method: "POST",
    path: "/v1/approvals/{approvalID}/approve",
    callers: owners,
    answer: approval,
  },
  deny: { ...common, method: "POST", path: "/v1/approvals/{approvalID}/deny", answer: approval },
} as const satisfies Readonly<Record<string, Endpoint>>;
