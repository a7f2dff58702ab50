// The approvals of a workflow: a version of it is activated, or executed once.

import { ok } from "../../../base/result.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import { type Approvable, inTransaction } from "../approvals/approvable.ts";
import type { SubmitRefusal } from "../runs/refusals.ts";
import type { WorkRefusal } from "../workspaces/refusals.ts";
import { activateWithin } from "./activate-within.ts";
import type { WorkflowRefusal } from "./refusals.ts";
import { executeWorkflow } from "./workflows.ts";

declare module "../approvals/approvable.ts" {
  interface ActRefusals {
    activate_workflow: AgentRefusal | WorkflowRefusal;
    run_workflow: AgentRefusal | ClassRefusal | WorkflowRefusal | SubmitRefusal | WorkRefusal;
  }
}

export const activationApproval: Approvable<"activate_workflow"> = {
  approve: inTransaction((core, tx, { action: { workflowId, version } }) =>
    activateWithin(core, tx, { workflowId, version }),
  ),
};

export const executionApproval: Approvable<"run_workflow"> = {
  approve: async (core, { caller, action, submitter, alongside }) => {
    const { workflowId, version, input } = action;
    const executed = await executeWorkflow(core, submitter, {
      caller,
      workflowId,
      input,
      version,
      idempotencyKey: null,
      alongside,
    });
    return executed.ok ? ok(null) : executed;
  },
};
