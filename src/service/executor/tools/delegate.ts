// The tool that hands a task to a child run and waits for its reply.

import * as z from "zod/mini";
import { assertNever } from "../../../base/assert-never.ts";
import type { BackendTask } from "../backend.ts";
import { defineTool, type Tool, ToolError } from "./tool.ts";

const MAX_TASK_CHARS = 32_000;

export type ChildReply = { readonly runId: string; readonly reply: string };

export function delegateTool(task: Pick<BackendTask, "delegate" | "maxTurnTokens">): Tool<ChildReply> {
  return defineTool({
    name: "delegate",
    description:
      "Hands a task to another run of this agent, which knows nothing of this conversation, and returns its reply. Say in the task all that it must know, and do not count on it seeing what was changed here.",
    input: z.object({ task: z.string().check(z.minLength(1), z.maxLength(MAX_TASK_CHARS)) }),
    async find({ task: message }): Promise<ChildReply> {
      const outcome = await task.delegate({ message, maxTurnTokens: task.maxTurnTokens });
      switch (outcome.status) {
        case "completed":
          return { runId: outcome.runId, reply: outcome.reply };
        case "failed":
        case "cancelled":
          throw new ToolError("failed", `The run ${outcome.runId} ${verb(outcome.status)}: ${outcome.why}`);
        case "refused":
          throw new ToolError("refused", `The task was not handed on. ${outcome.why}`);
        default:
          return assertNever(outcome);
      }
    },
    format: ({ runId, reply }) => `${reply === "" ? "[no reply]" : reply}\n[run ${runId}]`,
  });
}

function verb(status: "failed" | "cancelled"): string {
  return status === "failed" ? "failed" : "was cancelled";
}
