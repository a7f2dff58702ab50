// invoke_agent: submits a run, and waits a while for its end.

import { invokeAgentTool } from "../../../../contract/mcp/run-tools.ts";
import { withAgent } from "../find-agent.ts";
import { followSubmitted } from "../follow-submitted.ts";
import { defineTool } from "../tool.ts";

export const invokeAgent = defineTool({
  name: "invoke_agent",
  title: "Ask an agent to do something",
  description:
    "Starts a run of an agent and waits for it. A run costs credits and may take minutes: if it has not ended after wait_seconds, the answer has its run_id, and get_run_result waits for the rest. Pass idempotency_key, a new text for each task, and pass the same one to repeat a call whose answer was lost: without it a repeated call starts a second run. With session_id the agent remembers that session.",
  hints: { isOpenWorld: true },
  scopes: ["runs:write", "runs:read"],
  schemas: invokeAgentTool,
  run: async (
    { agent: named, wait_seconds: waitSeconds, idempotency_key: idempotencyKey = null, ...body },
    context,
  ) =>
    await withAgent(context, named, async ({ id: agentId }) => {
      const { submitter, caller } = context;
      const request = { caller, agentId, body, idempotencyKey, canBeAnswered: true };
      const submitted = await submitter.submit(request);
      if (!submitted.ok) return submitted;
      return await followSubmitted(context, { runId: submitted.value.runId, waitSeconds });
    }),
});
