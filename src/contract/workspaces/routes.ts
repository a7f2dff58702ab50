// Every route of workspaces, by noun. A service loads them at their first request. Pure.

import type { RouteTable } from "../route.ts";
import { workspaceRoutes } from "./workspace/routes.ts";

export const workspaceNounRoutes = {
  workspaces: workspaceRoutes,
} as const satisfies RouteTable;

export type WorkspaceNounRoutes = typeof workspaceNounRoutes;
