// The tools of workflows.

import * as z from "zod/mini";
import { ok } from "../../../../base/result.ts";
import { field } from "../../../../contract/field.ts";
import { text } from "../../../../contract/fields.ts";
import { MAX_WORKFLOW_INPUT_CHARS, workflowRoutes, workflowSchema } from "../../../../contract/workflows.ts";
import { executeWorkflow, listWorkflows } from "../../../core/workflows/workflows.ts";
import { toWorkflow } from "../../shared/workflow-view.ts";
import { cut, linesOf, omittedSchema } from "../answer-part.ts";
import { findNamedAgent } from "../find-agent.ts";
import { followSubmitted, mayPark, waitSeconds } from "../follow-submitted.ts";
import { runResultFields } from "../run-result.ts";
import { answer, ownTool, tool } from "../tool.ts";
import { agentArgument, runKeyText } from "../tool-input.ts";

const MAX_LISTED = 50;

export const workflowTools = [
  ownTool({
    name: "list_workflows",
    role: "viewer",
    title: "List workflows",
    description: "An agent's workflows: prompts that its owner has written, and activates one version of.",
    hints: { isReadOnly: true },
    scopes: ["agents:read"],
    takes: { agent: agentArgument },
    output: z.object({ workflows: z.array(workflowSchema), omitted: omittedSchema }),
    run: async ({ agent: named }, { core, caller }) => {
      const agent = await findNamedAgent({ core, caller }, named);
      if (!agent.ok) return agent;
      const listed = await listWorkflows(core, { caller, agentId: agent.value.id });
      if (!listed.ok) return listed;
      const { items, ...more } = cut(listed.value.map(toWorkflow), MAX_LISTED);
      const lines = linesOf(
        items,
        ({ id, name, active_version }) =>
          `${name} (${id}): ${active_version === null ? "not active" : `version ${active_version} is active`}`,
        "There are no workflows.",
      );
      return ok(answer({ workflows: [...items], ...more }, lines));
    },
  }),
  tool(workflowRoutes.execute, {
    name: "execute_workflow",
    title: "Execute a workflow",
    description:
      "Runs the version of a workflow that its owner has activated, and waits for the run as invoke_agent does. For one that is not active the answer has approve_url, which is for the user.",
    hints: { isOpenWorld: true },
    scopes: ["runs:write", "runs:read"],
    fields: {
      input: field(
        z.optional(text(MAX_WORKFLOW_INPUT_CHARS)),
        "What follows the workflow's prompt in the run's message.",
      ),
      idempotency_key: runKeyText,
    },
    adds: { wait_seconds: waitSeconds },
    output: z.object({ ...runResultFields, workflow_version: z.int() }),
    run: async ({ caller, params, body, idempotencyKey, own }, context) => {
      const executed = await executeWorkflow(context.core, context.submitter, {
        caller,
        workflowId: params.id,
        input: body.input ?? null,
        idempotencyKey,
        ...(mayPark(context) ? { mayPark: true } : {}),
      });
      if (!executed.ok) return executed;
      const { runId, version } = executed.value;
      const followed = await followSubmitted(context, { runId, waitSeconds: own.wait_seconds });
      if (!followed.ok) return followed;
      if (followed.value.type === "task") return ok(followed.value);
      const { structured, ...shown } = followed.value;
      return ok({ ...shown, structured: { ...structured, workflow_version: version } });
    },
  }),
];
