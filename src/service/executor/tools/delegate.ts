// The tool that delegates a task to a child run and waits for its reply.

import * as z from "zod/mini";
import { assertNever } from "../../../base/assert-never.ts";
import type { BackendTask } from "../backend.ts";
import { defineTool, type Tool, ToolError } from "./tool.ts";
import { described } from "./tool-input.ts";

const MAX_TASK_CHARS = 32_000;

type ChildReply = { readonly runId: string; readonly reply: string; readonly bound: string | null };

const WHAT =
  "Hands a task to another run of this agent, which knows nothing of this conversation, and returns its reply. Say in the task all that it must know.";
const IN_ITS_OWN_FILES =
  "It works in a fresh checkout of its own: it does not see what was changed here, and of what it changes there only its reply tells.";
const IN_THESE_FILES =
  "It works in these very files: it finds what was changed here, and what it changes is here afterwards. Nothing else goes on meanwhile: several tasks are done one after the other.";

/** `areFilesShared`: the child works in the parent's files, so one child at a time and no other tool beside it. */
export function delegateTool(
  task: Pick<BackendTask, "delegate">,
  { areFilesShared }: { readonly areFilesShared: boolean },
): Tool<ChildReply> {
  return defineTool({
    name: "delegate",
    description: `${WHAT} ${areFilesShared ? IN_THESE_FILES : IN_ITS_OWN_FILES}`,
    isOutside: true,
    isRepeatable: true,
    access: areFilesShared ? "write" : "read",
    input: z.object({
      task: described(
        z.string().check(z.minLength(1), z.maxLength(MAX_TASK_CHARS)),
        "What to do, with all that the other run must know.",
      ),
    }),
    async find({ task: message }, { callsAtOnce = 1, call }): Promise<ChildReply> {
      const isAlone = areFilesShared || callsAtOnce === 1;
      const outcome = await task.delegate({ message, isAlone, ...(call === undefined ? {} : { call }) });
      switch (outcome.status) {
        case "completed":
          return { runId: outcome.runId, reply: outcome.reply, bound: outcome.bound };
        case "failed":
        case "cancelled":
          throw new ToolError("failed", `The run ${outcome.runId} ${verb(outcome.status)}: ${outcome.why}`);
        case "refused":
          throw new ToolError("refused", `The task was not handed on. ${outcome.why}`);
        default:
          return assertNever(outcome);
      }
    },
    format: ({ runId, reply, bound }) => {
      const early = bound === null ? "" : `, which stopped before it was done: ${bound}`;
      return `${reply === "" ? "[no reply]" : reply}\n[run ${runId}${early}]`;
    },
  });
}

function verb(status: "failed" | "cancelled"): string {
  return status === "failed" ? "failed" : "was cancelled";
}
