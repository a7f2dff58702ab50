// A task is a run: durable before its handle is given out, and read from the store by whichever node is asked.

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { assertNever } from "../../../base/assert-never.ts";
import type { ApiScope } from "../../../contract/oauth/scopes.ts";
import { runRoutes } from "../../../contract/runs/routes.ts";
import type { RunStatus } from "../../../contract/runs/run.ts";
import { needRole } from "../../core/accounts/caller.ts";
import type { Policy } from "../../core/core.ts";
import { cancelRun } from "../../core/runs/cancel-run.ts";
import { findRun } from "../../core/runs/read-run.ts";
import type { RunRecord } from "../../core/runs/run-record.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import { type CallParts, mayUse } from "./call-parts.ts";
import { runAnswer } from "./run-result.ts";
import type { TaskCreated, Tasks } from "./surface.ts";
import { resultOf } from "./tool-content.ts";
import { noteOf, watchRun } from "./watch-run.ts";

const POLL_MS = 2_000;

type TaskStatus = "working" | "completed" | "cancelled";

/** The answer of a tool whose run goes on as a task. */
export function taskCreated(run: RunRecord, policy: Pick<Policy, "keptMs">): TaskCreated {
  return { resultType: "task", ...taskOf(run, policy) };
}

/** The tasks of one request's caller. What is no run of theirs is unknown. */
export function runTasks(parts: CallParts): Tasks {
  const { core, caller } = parts;
  return {
    get: async (taskId) => {
      need(parts, ["runs:read"]);
      const watcher = { ...parts, signal: AbortSignal.abort(), progress: async () => {} };
      const watched = await watchRun(watcher, { runId: taskId, waitMs: 0 });
      if (!watched.ok) throw unknownTask(taskId);
      const { run, report } = watched.value;
      const task = taskOf(run, core.policy);
      if (task.status === "completed") return { ...task, result: resultOf(runAnswer(watched.value)) };
      return task.status === "working" ? { ...task, statusMessage: noteOf(report) } : task;
    },
    // A run asks nothing of its client: what comes in answer to nothing is ignored, as the extension says.
    update: async (taskId) => {
      need(parts, ["runs:read"]);
      const found = await findRun(core, { caller, runId: taskId });
      if (!found.ok) throw unknownTask(taskId);
    },
    cancel: async (taskId) => {
      need(parts, ["runs:write"]);
      const held = needRole(caller, runRoutes.cancel.role);
      if (!held.ok)
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, toProblem(held.refusal).message);
      const found = await findRun(core, { caller, runId: taskId });
      if (!found.ok) throw unknownTask(taskId);
      // One that has ended meanwhile stays as it is.
      await cancelRun(core, { caller, agentId: found.value.agentId, runId: taskId });
    },
  };
}

function need(parts: CallParts, scopes: readonly ApiScope[]): void {
  if (!mayUse(parts, scopes)) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "insufficient_scope");
}

function taskOf(run: RunRecord, { keptMs }: Pick<Policy, "keptMs">) {
  const { id, status, submittedAt, startedAt, heartbeatAt, endedAt } = run;
  return {
    taskId: id,
    status: taskStatus(status),
    createdAt: new Date(submittedAt).toISOString(),
    lastUpdatedAt: new Date(endedAt ?? heartbeatAt ?? startedAt ?? submittedAt).toISOString(),
    ttlMs: keptMs,
    pollIntervalMs: POLL_MS,
  };
}

/** `failed` is for calls that were never made: a run that failed is the result of one. */
function taskStatus(status: RunStatus): TaskStatus {
  switch (status) {
    case "queued":
    case "running":
    case "cancelling":
      return "working";
    case "completed":
    case "failed":
      return "completed";
    case "cancelled":
      return "cancelled";
    default:
      return assertNever(status);
  }
}

function unknownTask(taskId: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${taskId.slice(0, 100)}.`);
}
