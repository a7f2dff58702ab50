// Where the routes of workspaces are, by noun. No schema loads here.

import { workspaceEndpoints } from "./workspace/endpoints.ts";

export const workspaceNounEndpoints = {
  workspaces: workspaceEndpoints,
} as const;
