// The routes of workspaces: a bundle of its own, loaded at their first request.

import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { workspaceNounRoutes } from "../contract/workspaces/routes.ts";
import type { FaceParts } from "./api/http/face.ts";
import type { OpenedRoutes } from "./api/http/route-face.ts";
import { openedRoutes } from "./api/http/serve-routes.ts";
import { workspaceNounHandlers } from "./api/http/workspaces/handlers.ts";

export { takeUpOperations } from "./core/workspaces/operations/take-up-operations.ts";

export function openWorkspaces(parts: FaceParts): OpenedRoutes {
  z.config(english());
  return openedRoutes(workspaceNounRoutes, workspaceNounHandlers(parts));
}
