// Workflows of an account: the version that runs, and its executions.

import type {
  ActivateWorkflowRequest,
  ExecuteWorkflowRequest,
  ExecuteWorkflowResponse,
  Workflow,
} from "../contract/workflows/workflow.ts";
import type { CallOptions } from "./ci.ts";
import { randomIdempotencyKey } from "./idempotency-key.ts";
import { type Connection, requestValue } from "./request.ts";

export type WorkflowAddress = CallOptions & { readonly workflowId: string };

export type ExecuteWorkflowOptions = WorkflowAddress & {
  readonly body?: ExecuteWorkflowRequest;
  /** What makes the call one run, however often it is sent. Left out: a random one. */
  readonly idempotencyKey?: string | undefined;
};

export type WorkflowClient = {
  /** POST /v1/workflows/{workflowId}/activate, by the owner alone. Sent once where no version is named. */
  activateWorkflow(options: WorkflowAddress & { readonly body?: ActivateWorkflowRequest }): Promise<Workflow>;
  /** POST /v1/workflows/{workflowId}/executions. */
  executeWorkflow(options: ExecuteWorkflowOptions): Promise<ExecuteWorkflowResponse>;
};

export function workflowClient(connection: Connection): WorkflowClient {
  return {
    activateWorkflow: ({ workflowId, body = {}, signal }) =>
      requestValue(connection, {
        method: "POST",
        path: `${workflowPath(workflowId)}/activate`,
        body,
        effect: body.version === undefined ? "once" : "repeatable",
        decoder: async () => (await import("../contract/workflows/workflow.ts")).workflowSchema,
        signal,
      }),
    executeWorkflow: ({ workflowId, body = {}, idempotencyKey = randomIdempotencyKey(), signal }) =>
      requestValue(connection, {
        method: "POST",
        path: `${workflowPath(workflowId)}/executions`,
        body,
        headers: { "idempotency-key": idempotencyKey },
        decoder: async () =>
          (await import("../contract/workflows/workflow.ts")).executeWorkflowResponseSchema,
        signal,
      }),
  };
}

function workflowPath(workflowId: string): string {
  return `/v1/workflows/${encodeURIComponent(workflowId)}`;
}
