// The tool that writes a file whole.

import * as z from "zod/mini";
import { relativePath, showPath } from "./checkout-path.ts";
import { atPlace, MAX_WRITTEN_BYTES, writeWhole } from "./checkout-place.ts";
import { defineTool, ToolError } from "./tool.ts";
import { described, pathInput } from "./tool-input.ts";

type WrittenFile = {
  readonly path: string;
  readonly outcome: "created" | "replaced";
  readonly lines: number;
  readonly bytes: number;
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
    const bytes = Buffer.from(content);
    if (bytes.length > MAX_WRITTEN_BYTES) {
      const message = `The content has ${bytes.length} bytes, at most ${MAX_WRITTEN_BYTES} are written.`;
      throw new ToolError("too_large", message);
    }
    const outcome = await atPlace({ tree, path, missingFolders: "make" }, (place) =>
      writeWhole(place, bytes),
    );
    return {
      path: await relativePath(tree.root, path),
      outcome,
      lines: countLines(content),
      bytes: bytes.length,
    };
  },
  format: ({ path, outcome, lines, bytes }) =>
    `${outcome === "created" ? "Created" : "Replaced"} ${showPath(path)}: ${lines} ${lines === 1 ? "line" : "lines"}, ${bytes} bytes.`,
});

function countLines(text: string): number {
  const ends = text.split("\n").length - 1;
  return text === "" || text.endsWith("\n") ? ends : ends + 1;
}
