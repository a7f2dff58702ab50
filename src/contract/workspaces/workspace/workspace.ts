// A workspace and its routes under /v1/workspaces. Pure.

import * as z from "zod/mini";
import { listOf, pageQuery } from "../list.ts";

export const workspaceStates = ["ready", "adopting", "erasing"] as const;
export type WorkspaceState = (typeof workspaceStates)[number];

export const workspaceSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  manager_agent_id: z.uuid(),
  current_revision_id: z.uuid(),
  storage_state: z.enum(workspaceStates),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
});
export type WorkspaceView = z.infer<typeof workspaceSchema>;

export const workspaceListSchema = listOf(workspaceSchema);

export const listWorkspacesQuerySchema = z.object(pageQuery);
