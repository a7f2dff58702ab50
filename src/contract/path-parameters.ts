// Every parameter of a path, spelled as in the API's specification. Pure.

const uuid = { type: "string", format: "uuid" } as const;

export const pathParameters = {
  agentID: { description: "The agent's id.", schema: uuid },
  runID: { description: "The run's id.", schema: { type: "string" } },
  scheduleID: { description: "The schedule's id.", schema: uuid },
  approvalID: { description: "The approval's id.", schema: uuid },
  server: { description: "The name of an MCP server, or `*` for every one.", schema: { type: "string" } },
  connection: { description: "The name of a connection.", schema: { type: "string" } },
  userID: { description: "The caller's own account id.", schema: uuid },
  sha: {
    description: "The commit's whole name, in lower case.",
    schema: { type: "string", pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$" },
  },
  workspaceID: { description: "The workspace's id.", schema: uuid },
  memberID: { description: "The member's id.", schema: uuid },
  personID: { description: "The person's id.", schema: uuid },
  invitationID: { description: "The invitation's id.", schema: uuid },
  contextItemID: { description: "The context item's id.", schema: uuid },
  workingCopyID: { description: "The working copy's id.", schema: uuid },
  revisionID: { description: "The revision's id.", schema: uuid },
  downloadToken: { description: "The secret of the address.", schema: { type: "string" } },
  operationID: { description: "The operation's id.", schema: uuid },
  pinID: { description: "The retention pin's id.", schema: uuid },
  actionID: { description: "The review action's id.", schema: uuid },
  changesetID: { description: "The changeset's id.", schema: uuid },
  workerRequestID: { description: "The worker's id.", schema: uuid },
  taskGroupID: { description: "The task group's id.", schema: uuid },
  workflowID: { description: "The workflow's id.", schema: { type: "string" } },
  id: { description: "The workflow's id.", schema: { type: "string" } },
} as const;
export type PathParameter = keyof typeof pathParameters;
