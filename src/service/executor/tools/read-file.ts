// The tool that reads a text file, whole or by lines.

import * as z from "zod/mini";
import { showPath } from "./checkout-path.ts";
import { readTextFile } from "./text-file.ts";
import { defineTool, ToolError } from "./tool.ts";

const lineNumber = z.int().check(z.minimum(1));

export type FileLines = {
  readonly path: string;
  readonly text: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly totalLines: number;
};

export const readFile = defineTool({
  name: "read_file",
  description: "Reads a text file of the repository, whole or from start_line to end_line.",
  input: z.object({
    /** Relative to the repository's root. */
    path: z.string().check(z.minLength(1)),
    start_line: z.optional(lineNumber),
    end_line: z.optional(lineNumber),
  }),
  async find({ path, start_line: firstLine = 1, end_line: wantedLast }, { checkout }): Promise<FileLines> {
    const text = await readTextFile(checkout.root, path);
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    const totalLines = lines.length;
    if (firstLine > Math.max(totalLines, 1)) {
      const message = `The file ${showPath(path)} has ${totalLines} lines, start_line is ${firstLine}.`;
      throw new ToolError("invalid_input", message);
    }
    const lastLine = Math.min(wantedLast ?? totalLines, totalLines);
    const isWhole = firstLine === 1 && lastLine === totalLines;
    const shown = isWhole ? text : lines.slice(firstLine - 1, lastLine).join("\n");
    return { path, text: shown, firstLine, lastLine, totalLines };
  },
  format: ({ text, firstLine, lastLine, totalLines }) => {
    if (totalLines === 0) return "[empty file]";
    const isWhole = firstLine === 1 && lastLine === totalLines;
    return isWhole ? text : `${text}\n[lines ${firstLine} to ${lastLine} of ${totalLines}]`;
  },
});
