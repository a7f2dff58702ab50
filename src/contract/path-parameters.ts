// Every parameter of a path, spelled as in the API's specification. Pure.

const uuid = { type: "string", format: "uuid" } as const;

export const pathParameters = {
  agentID: { description: "The agent's id.", schema: uuid },
  runID: { description: "The run's id.", schema: { type: "string" } },
  scheduleID: { description: "The schedule's id.", schema: uuid },
  approvalID: { description: "The approval's id.", schema: uuid },
  server: { description: "The name of an MCP server, or `*` for every one.", schema: { type: "string" } },
  userID: { description: "The caller's own account id.", schema: uuid },
  sha: {
    description: "The commit's whole name, in lower case.",
    schema: { type: "string", pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$" },
  },
  id: { description: "The workflow's id.", schema: { type: "string" } },
} as const;
export type PathParameter = keyof typeof pathParameters;
