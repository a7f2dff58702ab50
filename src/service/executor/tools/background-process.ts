// The tool that reads, stops and lists commands in the background.

import * as z from "zod/mini";
import type { BackgroundProcesses, ProcessReading } from "../processes/background-processes.ts";
import { listText, readingText } from "../processes/process-text.ts";
import { defineTool, type Tool, ToolError } from "./tool.ts";
import { described, flagInput } from "./tool-input.ts";

const MAX_WAIT_SECONDS = 60;

type Found = { readonly isList: boolean; readonly readings: readonly ProcessReading[] };

export function backgroundProcessTool(processes: BackgroundProcesses): Tool<Found> {
  return defineTool({
    name: "background_process",
    description:
      "Returns what a command in the background has written since it was last read, and whether it is still running. Without id: lists them.",
    input: z.object({
      id: described(z.optional(z.string()), "As run_command has named it."),
      wait_seconds: described(
        z._default(z.int().check(z.minimum(0), z.maximum(MAX_WAIT_SECONDS)), 0),
        `How long to wait for new output, or for its end, where there is none yet. At most ${MAX_WAIT_SECONDS}.`,
      ),
      stop: flagInput("Stop it, with all that it has started."),
    }),
    async find({ id, stop, wait_seconds: seconds }): Promise<Found> {
      if (id === undefined) {
        if (stop) throw new ToolError("invalid_input", `Say which to stop: id. ${knownText(processes)}`);
        return { isList: true, readings: processes.list() };
      }
      const reading = stop ? await processes.stop(id) : await processes.read(id, { waitMs: seconds * 1000 });
      if (reading === null)
        throw new ToolError(
          "not_found",
          `There is no background process ${JSON.stringify(id.slice(0, 100))}. ${knownText(processes)}`,
        );
      return { isList: false, readings: [reading] };
    },
    format: ({ isList, readings }) => (isList ? listText(readings) : readings.map(readingText).join("\n")),
  });
}

function knownText({ ids }: BackgroundProcesses): string {
  return ids.length === 0 ? "Nothing was started in the background." : `There are: ${ids.join(", ")}.`;
}
