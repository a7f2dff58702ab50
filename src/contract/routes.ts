// Every route of the API, by noun: the one table that the OpenAPI document, docs/api.md and the client's methods derive from. Pure.

import { agUiRoutes } from "./ag-ui/routes.ts";
import { firstRoutes } from "./first-routes.ts";
import type { RouteTable } from "./route.ts";
import { workspaceNounRoutes } from "./workspaces/routes.ts";

export const routes = {
  ...firstRoutes,
  agUi: agUiRoutes,
  ...workspaceNounRoutes,
} as const satisfies RouteTable;

export type Routes = typeof routes;
