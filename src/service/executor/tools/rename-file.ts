// The tool that gives a file or a folder another path.

import { lstat, rename } from "node:fs/promises";
import * as z from "zod/mini";
import { refuseCovered, refusedPath, relativePath, showPath } from "./checkout-path.ts";
import { atPlace } from "./checkout-place.ts";
import { defineTool, ToolError } from "./tool.ts";
import { pathInput } from "./tool-input.ts";

type RenamedFile = { readonly path: string; readonly newPath: string };

export const renameFile = defineTool({
  name: "rename_file",
  description: "Moves a file or a folder to another path. Folders on the way are made. Nothing is replaced.",
  input: z.object({
    path: pathInput("The file or folder, relative to the repository's root."),
    new_path: pathInput("The path that it is to have, its name included. There must be nothing yet."),
  }),
  access: "write",
  async find({ path: given, new_path: wanted }, { checkout: tree }): Promise<RenamedFile> {
    const { root } = tree;
    const [path, newPath] = [await relativePath(root, given), await relativePath(root, wanted)];
    if (newPath === path || newPath.startsWith(`${path}/`)) {
      throw refusedPath(
        wanted,
        `it is ${newPath === path ? "the same as the old one" : "within the old one"}`,
      );
    }
    await atPlace({ tree, path, missingFolders: "refuse" }, async (from) => {
      // Before the other's folders are made.
      refuseCovered(tree, { path, found: await lstat(from.at) });
      await atPlace({ tree, path: newPath, missingFolders: "make" }, async (to) => {
        const isTaken = await lstat(to.at).then(
          () => true,
          () => false,
        );
        if (isTaken) {
          throw new ToolError(
            "refused",
            `There is something at ${showPath(newPath)} already: delete it first.`,
          );
        }
        await rename(from.at, to.at);
      });
    });
    return { path, newPath };
  },
  format: ({ path, newPath }) => `Renamed ${showPath(path)} to ${showPath(newPath)}.`,
});
