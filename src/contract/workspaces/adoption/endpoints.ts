// Where the routes of adoptions are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, owners } from "../../route.ts";

const adoption = async () => (await import("./adoption.ts")).adoptionSchema;
const operation = async () => (await import("../operations/operation.ts")).operationSchema;
const path = "/v1/workspaces/{workspaceID}/storage";

export const adoptionEndpoints = {
  start: { callers: owners, method: "POST", path: `${path}/adopt`, repeat: "keyed", answer: operation },
  get: { callers: accounts, method: "GET", path: `${path}/adoption`, repeat: "safe", answer: adoption },
  cancel: {
    callers: accounts,
    method: "POST",
    path: `${path}/adoption/cancel`,
    repeat: "safe",
    answer: adoption,
  },
  rollback: {
    callers: owners,
    method: "POST",
    path: `${path}/adoption/rollback`,
    repeat: "safe",
    answer: operation,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
