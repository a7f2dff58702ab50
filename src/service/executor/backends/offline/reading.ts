// What every part of the survey reads from, and the one way in which it reads.

import type { Workspace } from "../../../core/ports/workspace.ts";
import type { RepositoryTask } from "../../backend.ts";
import type { Tool } from "../../tools/tool.ts";
import { callTool } from "../../tools/tool-call.ts";

export type Reading = { readonly task: RepositoryTask; readonly workspace: Workspace };

/** Calls a tool in the open. Null when it failed: the briefing then does without. */
export async function ask<Value>(
  { task, workspace }: Reading,
  { tool, input }: { readonly tool: Tool<Value>; readonly input: unknown },
): Promise<Value | null> {
  const outcome = await callTool({ task, tool, input, workspace });
  return outcome.ok ? outcome.value : null;
}
