// Shared beginnings of families of statements: their needs, their places, and requests that they repeat.

import { scratchWorkspace } from "./filled.ts";
import type { Need } from "./statement.ts";
import { makeWorkspace } from "./things.ts";
import type { World } from "./world.ts";

export const inWorkspaces: readonly Need[] = ["workspaces"];
export const inFiles: readonly Need[] = ["workspaces", "files"];

/** An id that nothing has. */
export const NO_ID = "00000000-0000-4000-8000-000000000000";

/** A schedule that does not fire while anybody asks. */
export const LATER = { prompt: "Look.", delay_seconds: 86_400 };

/** The beginning of the routes of the workspace in which statements write. */
export async function at(world: World): Promise<string> {
  return `/v1/workspaces/${(await scratchWorkspace(world)).workspaceId}`;
}

/** A workspace of this statement's own: its id, and the beginning of its routes. */
export async function own(world: World): Promise<{ readonly workspaceId: string; readonly of: string }> {
  const workspaceId = await makeWorkspace(world);
  return { workspaceId, of: `/v1/workspaces/${workspaceId}` };
}
