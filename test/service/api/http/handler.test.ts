// The type of a noun's handlers: exactly one for each route, with the request and the answer of its entry in the table.
// What is wrong does not compile; the compiler is what tests it.

import { describe, expect, it } from "vitest";
import { ok } from "../../../../src/base/result.ts";
import type { Routes } from "../../../../src/contract/routes.ts";
import type { runRoutes } from "../../../../src/contract/runs/routes.ts";
import type { NounHandlers } from "../../../../src/service/api/http/handler.ts";

type RunHandlers = NounHandlers<typeof runRoutes>;

const run = {
  credits: null,
  tokens: null,
  status: "queued",
  id: "r",
  agent_id: "a",
  thread_id: "t",
} as const;
const handlers: RunHandlers = {
  submit: async ({ body, idempotencyKey }) =>
    ok({ body: { run_id: body.message ?? "", session_id: idempotencyKey ?? "" }, isReplay: false }),
  list: async ({ query }) => ok({ body: [], headers: { Link: String(query.limit + 1) } }),
  get: async ({ params }) => ok({ body: { ...run, id: params.runID, origin: "user" } }),
  resume: async ({ params }) => ok({ body: { run_id: params.runID, session_id: "t" } }),
  fork: async ({ params }) => ok({ body: { run_id: params.runID, session_id: "t" }, isReplay: false }),
  cancel: async ({ params }) => ok({ body: { runId: params.runID, status: "cancelling" } }),
};

describe("the type of handlers", () => {
  it("refuses a route without a handler", () => {
    const { cancel: _, ...tooFew } = handlers;
    // @ts-expect-error `cancel` is missing.
    const refused: RunHandlers = tooFew;
    expect(Object.keys(refused)).toEqual(["submit", "list", "get", "resume", "fork"]);
  });

  it("refuses a handler without a route", () => {
    const refused: RunHandlers = {
      ...handlers,
      // @ts-expect-error There is no such route.
      pause: async () => ok({ body: null }),
    };
    expect(Object.keys(refused)).toContain("pause");
  });

  it("refuses an answer that the table does not have, a parameter, and a status", () => {
    const refused: Pick<RunHandlers, "cancel" | "get"> = {
      // @ts-expect-error The status is always "cancelling".
      cancel: async ({ params }) => ok({ body: { runId: params.runID, status: "cancelled" } }),
      // @ts-expect-error The path has no such parameter.
      get: async ({ params }) => ok({ body: { ...run, id: params.workflowID, origin: "user" } }),
    };
    const claims: Pick<NounHandlers<Routes["claims"]>, "create"> = {
      // @ts-expect-error The route has two answers: the handler says which.
      create: async () => ok({ body: { repository, agent_id: "a", status: "claimed", expires_at: null } }),
    };
    expect([typeof refused.get, typeof claims.create]).toEqual(["function", "function"]);
  });
});

const repository = { provider: "github", id: "1", owner_id: "2", name: "o/r", visibility: "public" } as const;
