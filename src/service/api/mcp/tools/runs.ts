// The tools of runs.

import * as z from "zod/mini";
import { ok, refused } from "../../../../base/result.ts";
import { field } from "../../../../contract/field.ts";
import { text } from "../../../../contract/fields.ts";
import { runRoutes } from "../../../../contract/runs/routes.ts";
import { isTerminal, runListSchema, runStatuses } from "../../../../contract/runs/run.ts";
import { cancelRun } from "../../../core/runs/cancel-run.ts";
import { givenBy, resumeRun } from "../../../core/runs/continue-run.ts";
import { findRun } from "../../../core/runs/read-run.ts";
import { runHandlers } from "../../http/handlers/runs.ts";
import { linesOf } from "../answer-part.ts";
import { followSubmitted, mayPark, waitSeconds } from "../follow-submitted.ts";
import { DEFAULT_REPLY_BYTES, runAnswer, runResultSchema, stateText } from "../run-result.ts";
import { answer, bodyOf, hasMore, tool } from "../tool.ts";
import { atMost, runKeyText } from "../tool-input.ts";
import { watchRun } from "../watch-run.ts";

const MAX_MESSAGE_CHARS = 1_000_000;
const MOST_REPLY_BYTES = 400_000;

const replyBytes = z._default(
  z.int().check(z.minimum(1_000), z.maximum(MOST_REPLY_BYTES)),
  DEFAULT_REPLY_BYTES,
);

export const runTools = [
  tool(runRoutes.submit, {
    name: "invoke_agent",
    title: "Ask an agent to do something",
    description:
      "Starts a run of an agent and waits for it. A run costs credits and may take minutes: if it has not ended after wait_seconds, the answer has its run_id, and get_run_result waits for the rest. Pass idempotency_key, a new text for each task, and the same one to repeat a call whose answer was lost. With session_id the agent remembers that session.",
    hints: { isOpenWorld: true },
    scopes: ["runs:write", "runs:read"],
    takes: [
      "message",
      "session_id",
      "session_key",
      "new_session",
      "idempotency_key",
      "wait_seconds",
      "output_schema",
      "max_turn_tokens",
      "max_cost_usd",
    ],
    fields: {
      message: field(text(MAX_MESSAGE_CHARS), "What the agent is asked to do."),
      session_id: "The session to continue: thread_id of an earlier run.",
      session_key:
        "Names the session by a key of your own: the first run with it begins the session, later ones continue it.",
      new_session: "With session_key: begins the session anew.",
      idempotency_key: runKeyText,
      output_schema: "A JSON Schema (2020-12) that the reply has to match; the answer then has it as output.",
      max_turn_tokens: "Tokens that the run and its children may use; 0 or left out: the default.",
      max_cost_usd: "What the models of the run and its children may cost, in US dollars.",
    },
    adds: { wait_seconds: waitSeconds },
    output: runResultSchema,
    run: async ({ caller, params, body, idempotencyKey, own }, context) => {
      const { submitter } = context;
      const submitted = await submitter.submit({
        caller,
        agentId: params.agentID,
        body: { ...body, ...(mayPark(context) ? { may_park: true } : {}) },
        idempotencyKey,
        canBeAnswered: true,
      });
      if (!submitted.ok) return submitted;
      return await followSubmitted(context, {
        runId: submitted.value.runId,
        waitSeconds: own.wait_seconds,
      });
    },
  }),
  tool(runRoutes.get, {
    name: "get_run_result",
    title: "Wait for a run's result",
    description:
      "The reply, changes and costs of a run; waits for its end at most wait_seconds. Call the tool that the answer has as next.",
    hints: { isReadOnly: true },
    finds: ["agentID"],
    adds: {
      wait_seconds: waitSeconds,
      max_reply_bytes: field(replyBytes, "Bytes of the reply and of the output to give."),
    },
    output: runResultSchema,
    run: async ({ params, own }, context) => {
      const watched = await watchRun(context, { runId: params.runID, waitMs: own.wait_seconds * 1_000 });
      return watched.ok ? ok(runAnswer(watched.value, { maxBytes: own.max_reply_bytes })) : watched;
    },
  }),
  tool(runRoutes.resume, {
    name: "resume_run",
    title: "Continue a parked run",
    description:
      "Continues a run that is parked at a limit, and waits for it as invoke_agent does. Limits are of the whole run: pass a higher one. Ask the user first.",
    hints: { isOpenWorld: true },
    scopes: ["runs:write", "runs:read"],
    finds: ["agentID"],
    fields: {
      message: "What else it is told.",
      max_turn_tokens: "Its new limit of tokens.",
      max_cost_usd: "Its new limit of cost, in US dollars.",
    },
    adds: { wait_seconds: waitSeconds },
    output: runResultSchema,
    run: async ({ caller, params: { runID: runId }, body, own }, context) => {
      const { core } = context;
      const found = await findRun(core, { caller, runId });
      if (!found.ok) return found;
      const { agentId } = found.value;
      const resumed = await resumeRun(core, { caller, agentId, runId, given: givenBy(body) });
      if (!resumed.ok) return resumed;
      return await followSubmitted(context, { runId, waitSeconds: own.wait_seconds });
    },
  }),
  tool(runRoutes.list, {
    name: "list_runs",
    title: "List runs",
    description: "An agent's runs, newest first, each with its request: get_run_result has the answer.",
    hints: { isReadOnly: true },
    takes: ["session_key", "before", "limit"],
    fields: {
      before: "The id of the run that the page comes after: next_before of the page before it.",
      limit: atMost(50, 20, "Runs"),
    },
    output: z.object({ runs: runListSchema, next_before: z.optional(z.string()) }),
    run: async (request, { core, submitter }) => {
      const page = await runHandlers(core, submitter).list(request);
      if (!page.ok) return page;
      const runs = bodyOf(page.value);
      const next = hasMore(page.value) ? runs.at(-1)?.id : undefined;
      const text = linesOf(
        runs,
        (run) => `${run.id}: ${stateText(run)}, session ${run.thread_id}`,
        "There are no runs.",
      );
      return ok(answer({ runs, ...(next === undefined ? {} : { next_before: next }) }, text));
    },
  }),
  tool(runRoutes.cancel, {
    name: "cancel_run",
    title: "Cancel a run",
    description: "Asks a run, and those that it has delegated, to end. Safe to repeat.",
    hints: { isIdempotent: true },
    scopes: ["runs:write", "runs:read"],
    finds: ["agentID"],
    output: z.object({ run_id: z.string(), status: z.enum(runStatuses) }),
    // A run that has ended stays as it was.
    run: async ({ caller, params: { runID: runId } }, { core }) => {
      const found = await findRun(core, { caller, runId });
      if (!found.ok) return found;
      const { agentId } = found.value;
      const cancelled = await cancelRun(core, { caller, agentId, runId });
      if (!cancelled.ok && cancelled.refusal.reason !== "run_finished") return refused(cancelled.refusal);
      const run = await findRun(core, { caller, runId });
      if (!run.ok) return run;
      const { status } = run.value;
      const said = isTerminal(status)
        ? `Run ${runId} has ended: ${status}.`
        : `Run ${runId} was asked to end.`;
      return ok(answer({ run_id: runId, status }, said));
    },
  }),
];
