// get_run_result: what a run has come to, waited for a while.

import { ok } from "../../../../base/result.ts";
import { getRunResultTool } from "../../../../contract/mcp/run-tools.ts";
import { runAnswer } from "../run-result.ts";
import { defineTool } from "../tool.ts";
import { watchRun } from "../watch-run.ts";

export const getRunResult = defineTool({
  name: "get_run_result",
  title: "Wait for a run's result",
  description:
    "The reply, changes and costs of a run; waits for its end at most wait_seconds. Call it again while the answer has next.",
  hints: { isReadOnly: true },
  scopes: ["runs:read"],
  schemas: getRunResultTool,
  run: async ({ run_id: runId, wait_seconds: waitSeconds, max_reply_bytes: maxBytes }, context) => {
    const watched = await watchRun(context, { runId, waitMs: waitSeconds * 1_000 });
    return watched.ok ? ok(runAnswer(watched.value, { maxBytes })) : watched;
  },
});
