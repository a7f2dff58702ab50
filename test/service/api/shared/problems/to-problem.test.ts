// Every refusal has exactly one public problem, and the compiler says so.

import { describe, expect, it } from "vitest";
import { exchangeReasons } from "../../../../../src/contract/problems/problem.ts";
import { toProblem } from "../../../../../src/service/api/shared/problems/to-problem.ts";
import { accountProblems } from "../../../../../src/service/core/accounts/refusals.ts";
import { agentProblems } from "../../../../../src/service/core/agents/refusals.ts";
import { ciProblems } from "../../../../../src/service/core/ci/refusals.ts";
import { claimProblems } from "../../../../../src/service/core/claims/refusals.ts";
import { idempotencyProblems } from "../../../../../src/service/core/idempotency/refusals.ts";
import { limitProblems } from "../../../../../src/service/core/limits/refusals.ts";
import { moneyProblems } from "../../../../../src/service/core/money/refusals.ts";
import type { ProblemsOf } from "../../../../../src/service/core/ports/problem.ts";
import { runProblems } from "../../../../../src/service/core/runs/refusals.ts";
import { scheduleProblems } from "../../../../../src/service/core/schedules/refusals.ts";
import { sessionProblems } from "../../../../../src/service/core/sessions/refusals.ts";
import { workflowProblems } from "../../../../../src/service/core/workflows/refusals.ts";

const tables = [
  accountProblems,
  agentProblems,
  ciProblems,
  claimProblems,
  idempotencyProblems,
  limitProblems,
  moneyProblems,
  runProblems,
  scheduleProblems,
  sessionProblems,
  workflowProblems,
];

describe("the problems of refusals", () => {
  it("are each in the table of one noun", () => {
    const reasons = tables.flatMap((table) => Object.keys(table));
    expect(reasons.filter((reason, place) => reasons.indexOf(reason) !== place)).toEqual([]);
  });

  it("do not compile where a reason is left out", () => {
    type Two = { readonly reason: "one" } | { readonly reason: "other" };
    const problem = { status: 404, code: "not_found", message: "" } as const;
    // @ts-expect-error: "other" has no problem.
    const incomplete: ProblemsOf<Two> = { one: () => problem };
    expect(Object.keys(incomplete)).toEqual(["one"]);
  });

  it("do not compile for a reason that no table has", () => {
    // @ts-expect-error: the operator alone is refused for it.
    expect(() => toProblem({ reason: "sku_unknown", sku: "gold" })).toThrow(TypeError);
  });

  it.each(exchangeReasons)("say why an exchange was refused: %s", (reason) => {
    const problem = toProblem({ reason, detail: "Why.", expected: "one", got: "other" });
    expect(problem).toMatchObject({ message: "Why.", fields: { reason, expected: "one", got: "other" } });
  });
});
