// Tells the model of commands in the background that have ended, with the next result of whatever tool.

import type { BackgroundProcesses } from "../processes/background-processes.ts";
import { endedText } from "../processes/process-text.ts";
import type { Tool } from "./tool.ts";

export function withEndedProcesses<Value>(
  tool: Tool<Value>,
  processes: Pick<BackgroundProcesses, "takeEnded">,
): Tool<Value> {
  return {
    ...tool,
    async run(input, context) {
      const answer = await tool.run(input, context);
      const ended = processes.takeEnded().map(endedText);
      // Before it: the last line of a command's result is its end.
      return ended.length === 0 ? answer : { ...answer, text: [...ended, answer.text].join("\n\n") };
    },
  };
}
