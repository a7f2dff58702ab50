// What the fields of workflows mean. Pure.

import { type Components, component } from "../component.ts";
import {
  activateWorkflowRequestSchema,
  executeWorkflowRequestSchema,
  executeWorkflowResponseSchema,
  workflowSchema,
} from "./workflow.ts";

export const workflowComponents: Components = {
  Workflow: component(workflowSchema, "A prompt with versions.", {
    id: "The workflow's id.",
    agent_id: "The agent that runs it.",
    name: "Its name.",
    version: "The newest version.",
    active_version: "The version that an execution runs; null until the owner activates one.",
    created_at: "When it was made.",
    updated_at: "When it was last changed.",
  }),
  ActivateWorkflowRequest: component(activateWorkflowRequestSchema, "The version to activate.", {
    version: "Left out: the newest.",
  }),
  ExecuteWorkflowRequest: component(executeWorkflowRequestSchema, "What the execution is about.", {
    input: "Follows the workflow's prompt in the run's message.",
    idempotency_key: "Makes the request safe to repeat for 24 hours. A header that is not empty wins.",
  }),
  ExecuteWorkflowResponse: component(executeWorkflowResponseSchema, "The run that was queued.", {
    run_id: "The run's id.",
    session_id: "The session's id.",
    version: "The version that runs.",
  }),
};
