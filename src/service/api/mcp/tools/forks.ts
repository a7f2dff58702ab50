// The tool that makes a run anew from one of its turns. In a set of its own: few assistants need it, and each listing costs context.

import { runRoutes } from "../../../../contract/runs/routes.ts";
import { forkRun } from "../../../core/runs/fork-run.ts";
import { findRun } from "../../../core/runs/read-run.ts";
import { followSubmitted, waitSeconds } from "../follow-submitted.ts";
import { runResultSchema } from "../run-result.ts";
import { tool } from "../tool.ts";

export const forkTools = [
  tool(runRoutes.fork, {
    name: "fork_run",
    title: "Fork a run at a turn",
    description:
      "Makes a new run that begins where another one was before a turn, with its conversation and its files, and waits for it as invoke_agent does. The other run is not changed. It costs credits: ask the user first.",
    hints: { isOpenWorld: true },
    scopes: ["runs:write", "runs:read"],
    finds: ["agentID"],
    adds: { wait_seconds: waitSeconds },
    output: runResultSchema,
    run: async ({ caller, params: { runID: runId }, body, idempotencyKey, own }, context) => {
      const { core, submitter } = context;
      const found = await findRun(core, { caller, runId });
      if (!found.ok) return found;
      const { agentId } = found.value;
      const forked = await forkRun(core, submitter, { caller, agentId, runId, body, idempotencyKey });
      if (!forked.ok) return forked;
      return await followSubmitted(context, { runId: forked.value.runId, waitSeconds: own.wait_seconds });
    },
  }),
];
