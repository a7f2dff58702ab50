// The tool that writes a file whole.

import * as z from "zod/mini";
import { relativePath, showPath } from "./checkout-path.ts";
import {
  atPlace,
  lookAt,
  MAX_WRITTEN_BYTES,
  type OpenedPath,
  openFile,
  writeWhole,
} from "./checkout-place.ts";
import { defineTool, ToolError } from "./tool.ts";
import { described, pathInput } from "./tool-input.ts";

/** The beginning of a file that tells its line ends. */
const SNIFFED_BYTES = 64 * 1024;

type WrittenFile = {
  readonly path: string;
  readonly outcome: "created" | "replaced";
  readonly lines: number;
  readonly bytes: number;
  /** The file had CRLF, and has it again although LF was given. */
  readonly keepsCrlf: boolean;
};

export const writeFile = defineTool({
  name: "write_file",
  description:
    "Creates a file, or replaces all that it holds. Folders are made. To change a part of a file use edit_file.",
  input: z.object({
    path: pathInput("The file, relative to the repository's root."),
    content: described(z.string(), "All that the file is to hold."),
  }),
  access: "write",
  async find({ path, content }, { checkout: tree }): Promise<WrittenFile> {
    const given = Buffer.byteLength(content);
    if (given > MAX_WRITTEN_BYTES) {
      const message = `The content has ${given} bytes, at most ${MAX_WRITTEN_BYTES} are written.`;
      throw new ToolError("too_large", message);
    }
    return await atPlace({ tree, path, missingFolders: "make" }, async (place) => {
      const keepsCrlf = content.includes("\n") && !content.includes("\r") && (await hasCrlf(place));
      const bytes = Buffer.from(keepsCrlf ? content.replaceAll("\n", "\r\n") : content);
      const outcome = await writeWhole(place, bytes);
      return {
        path: await relativePath(tree.root, path),
        outcome,
        lines: countLines(content),
        bytes: bytes.length,
        keepsCrlf,
      };
    });
  },
  format: ({ path, outcome, lines, bytes, keepsCrlf }) =>
    `${outcome === "created" ? "Created" : "Replaced"} ${showPath(path)}: ${lines} ${lines === 1 ? "line" : "lines"}, ${bytes} bytes.${keepsCrlf ? " Its line ends are CRLF, as before." : ""}`,
});

/** Whether the file that is there ends all of its lines so. */
async function hasCrlf(place: OpenedPath): Promise<boolean> {
  if ((await lookAt(place)) === null) return false;
  const { file } = await openFile(place, "read");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    const text = buffer.toString("latin1", 0, bytesRead);
    return text.includes("\n") && !/(?:^|[^\r])\n/.test(text);
  } finally {
    await file.close();
  }
}

function countLines(text: string): number {
  const ends = text.split("\n").length - 1;
  return text === "" || text.endsWith("\n") ? ends : ends + 1;
}
