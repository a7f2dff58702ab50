// The tool that deletes one file.

import { lstat, unlink } from "node:fs/promises";
import * as z from "zod/mini";
import { refuseCovered, refusedPath, relativePath, showPath } from "./checkout-path.ts";
import { atPlace } from "./checkout-place.ts";
import { defineTool } from "./tool.ts";
import { pathInput } from "./tool-input.ts";

type DeletedFile = { readonly path: string };

export const deleteFile = defineTool({
  name: "delete_file",
  description: "Deletes one file. Of a symbolic link, the link itself.",
  input: z.object({
    path: pathInput("The file, relative to the repository's root."),
  }),
  access: "write",
  async find({ path }, { checkout: tree }): Promise<DeletedFile> {
    await atPlace({ tree, path, missingFolders: "refuse" }, async ({ at }) => {
      const about = await lstat(at);
      refuseCovered(tree, { path, found: about });
      if (about.isDirectory()) throw refusedPath(path, "it is a folder: delete its files one by one");
      await unlink(at);
    });
    return { path: await relativePath(tree.root, path) };
  },
  format: ({ path }) => `Deleted ${showPath(path)}.`,
});
