// What every part of the survey reads from, and the one way in which it reads.

import type { Checkout } from "../../../core/ports/checkout.ts";
import type { RepositoryTask } from "../../backend.ts";
import type { Tool } from "../../tools/tool.ts";
import { callTool } from "../../tools/tool-call.ts";

export type Reading = { readonly task: RepositoryTask; readonly checkout: Checkout };

/** Calls a tool in the open. Null when it failed: the briefing then does without. */
export async function ask<Value>(
  { task, checkout }: Reading,
  { tool, input }: { readonly tool: Tool<Value>; readonly input: unknown },
): Promise<Value | null> {
  const outcome = await callTool({ task, tool, input, checkout });
  return outcome.ok ? outcome.value : null;
}
