// A problem as an HTTP answer. Which problem a refusal is, the refusals.ts of its noun says for every transport.

import type { PublicProblem } from "../../core/ports/problem.ts";
import { type Refusal, toProblem } from "../shared/problems/to-problem.ts";
import type { RequestContext } from "./request-context.ts";

/** Answers with a problem as every route does. */
export function answerProblem(context: RequestContext, problem: PublicProblem): Response {
  if (context.get("problem") === undefined) context.set("problem", problem.code);
  for (const [name, value] of Object.entries(problem.headers ?? {})) context.header(name, value);
  if (problem.retryAfterSeconds !== undefined)
    context.header("Retry-After", String(problem.retryAfterSeconds));
  const { message: error, code, fields } = problem;
  return context.json({ error, code, request_id: context.get("requestId"), ...fields }, problem.status);
}

/** Answers with a refusal of the core, and logs why. */
export function answerRefusal(context: RequestContext, refusal: Refusal): Response {
  const problem = toProblem(refusal);
  context.set("problem", refusal.reason);
  context
    .get("log")()
    .info({ reason: refusal.reason, status: problem.status, code: problem.code }, "refused");
  return answerProblem(context, problem);
}
