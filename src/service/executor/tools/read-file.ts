// The tool that reads a text file by pages, with the numbers of its lines.

import * as z from "zod/mini";
import { showPath } from "./checkout-path.ts";
import { explainMissing } from "./nearest-paths.ts";
import { type ReadLine, readLines } from "./text-file.ts";
import { defineTool, ToolError } from "./tool.ts";
import { described, offsetInput, pathInput } from "./tool-input.ts";

const DEFAULT_LINES = 2_000;
const MAX_LINES = 10_000;
/** A page ends here, unless more lines were asked for by number. */
const PAGE_BYTES = 30_000;
const LARGEST_PAGE_BYTES = 56_000;
const MAX_LINE_BYTES = 2_000;

type FileLines = {
  readonly path: string;
  /** Without numbers; line ends are LF. */
  readonly text: string;
  readonly lines: readonly ReadLine[];
  readonly firstLine: number;
  /** A lower bound where `isCounted` is false. */
  readonly totalLines: number;
  readonly isCounted: boolean;
  readonly hasCrlf: boolean;
};

export const readFile = defineTool({
  name: "read_file",
  description:
    "Reads a text file of the repository, of any size, a page at a time. Each line is shown as its number, a tab and its text; the number and the tab are no part of the file.",
  input: z.object({
    path: pathInput("The file, relative to the repository's root."),
    offset: offsetInput("The first line to read."),
    limit: described(
      z.optional(z.int().check(z.minimum(1), z.maximum(MAX_LINES))),
      `How many lines to read. Default ${DEFAULT_LINES}, or as many as 30 KB hold.`,
    ),
  }),
  async find({ path, offset: firstLine, limit }, { checkout, signal }): Promise<FileLines> {
    const maxBytes = limit === undefined ? PAGE_BYTES : LARGEST_PAGE_BYTES;
    const wanted = {
      first: firstLine,
      count: limit ?? DEFAULT_LINES,
      maxLineBytes: MAX_LINE_BYTES,
      maxBytes,
    };
    const read = await explainMissing(checkout, path, () => readLines(checkout, path, { ...wanted, signal }));
    const { lines, total: totalLines, isCounted, hasCrlf } = read;
    if (firstLine > Math.max(totalLines, 1)) {
      const message = `The file ${showPath(path)} has ${totalLines} lines, offset is ${firstLine}.`;
      throw new ToolError("invalid_input", message);
    }
    const text = lines.map((line) => `${line.text}\n`).join("");
    return { path, text, lines, firstLine, totalLines, isCounted, hasCrlf };
  },
  format: ({ lines, firstLine, totalLines, isCounted, hasCrlf }) => {
    if (totalLines === 0) return "[empty file]";
    const lastLine = firstLine + lines.length - 1;
    const shown = lines.map((line, at) => `${firstLine + at}\t${showLine(line)}`);
    const total = `${isCounted ? "" : "more than "}${totalLines}`;
    if (firstLine > 1 || lastLine < totalLines) {
      const next = lastLine < totalLines ? `; next page: offset ${lastLine + 1}` : "";
      shown.push(`[lines ${firstLine} to ${lastLine} of ${total}${next}]`);
    }
    if (hasCrlf) shown.push("[the lines end with CRLF]");
    return shown.join("\n");
  },
});

function showLine({ text, bytes }: ReadLine): string {
  // A stream of events has no place for NUL.
  const visible = text.replaceAll("\0", "\ufffd");
  return bytes > MAX_LINE_BYTES ? `${visible}… [cut: the line has ${bytes} bytes]` : visible;
}
