// list_runs: an agent's runs, newest first.

import { ok } from "../../../../base/result.ts";
import { listRunsTool } from "../../../../contract/mcp/run-tools.ts";
import { listRuns } from "../../../core/runs/list-runs.ts";
import { toRun } from "../../shared/run-view.ts";
import { withAgent } from "../find-agent.ts";
import { answer, defineTool } from "../tool.ts";

export const listRunsOfAgent = defineTool({
  name: "list_runs",
  title: "List runs",
  description: "An agent's runs, newest first, without what was said in them: get_run_result has that.",
  hints: { isReadOnly: true },
  scopes: ["runs:read"],
  schemas: listRunsTool,
  run: async ({ agent: named, session_key: sessionKey = null, before = null, limit }, { core, caller }) =>
    await withAgent({ core, caller }, named, async ({ id: agentId }) => {
      const page = await listRuns(core, { caller, agentId, sessionKey, before, limit });
      if (!page.ok) return page;
      const runs = page.value.runs.map(toRun);
      const { next } = page.value;
      const lines = runs.map(({ id, status, thread_id }) => `${id}: ${status}, session ${thread_id}`);
      const text = lines.length === 0 ? "There are no runs." : lines.join("\n");
      return ok(answer({ runs, ...(next === null ? {} : { next_before: next }) }, text));
    }),
});
