// Linters that a repository uses for a file: by the configuration nearest to it, and by the programs that are installed beside
// it.

import { access } from "node:fs/promises";
import { join } from "node:path";
import { checkRelativePath, resolveInCheckout } from "../tools/checkout-path.ts";
import { readTextFile } from "../tools/text-file.ts";
import { ToolError } from "../tools/tool.ts";
import { type Linter, linters, type Marker } from "./linters.ts";

export type FoundLinter = {
  readonly linter: Linter;
  /** The folder in which it is executed, relative to the root; "" is the root. */
  readonly folder: string;
  /** Relative to `folder`, or a name to be looked up in PATH. */
  readonly program: string;
  /** The file, relative to `folder`, with "./" before it. */
  readonly path: string;
};

/** `path` is relative to the root. */
export async function findLinters(root: string, path: string): Promise<readonly FoundLinter[]> {
  const found: FoundLinter[] = [];
  for (const linter of linters.filter(({ ends }) => ends.some((end) => path.endsWith(end)))) {
    const folder = await folderOf(root, path, linter);
    if (folder === null) continue;
    const inside = folder === "" ? path : path.slice(folder.length + 1);
    found.push({ linter, folder, program: await programOf(root, folder, linter), path: `./${inside}` });
  }
  return found;
}

async function folderOf(root: string, path: string, { markers }: Linter): Promise<string | null> {
  if (markers === null) return "";
  for (const folder of foldersAbove(path)) {
    for (const marker of markers) if (await isMarked(root, folder, marker)) return folder;
  }
  return null;
}

async function isMarked(root: string, folder: string, { file, contains }: Marker): Promise<boolean> {
  const path = join(folder, file);
  try {
    if (contains === undefined) return (await resolveInCheckout({ root }, path)) !== "";
    return (await readTextFile({ root }, path)).includes(contains);
  } catch (cause) {
    if (cause instanceof ToolError) return false;
    throw cause;
  }
}

/** The path of a program, which is only named: the sandbox executes it, or does not find it. */
async function programOf(root: string, folder: string, { program }: Linter): Promise<string> {
  const above = [folder, ...foldersAbove(folder)];
  for (const [at, place] of [...new Set(above)].entries()) {
    const installed = join("node_modules/.bin", program);
    const isThere = await access(join(root, place, installed)).then(
      () => true,
      () => false,
    );
    if (isThere) return `./${"../".repeat(at)}${installed}`;
  }
  return program;
}

/** From the file's own to the root, "". */
function foldersAbove(path: string): readonly string[] {
  const segments = checkRelativePath(path).split("/").slice(0, -1);
  return Array.from({ length: segments.length + 1 }, (_, at) =>
    segments.slice(0, segments.length - at).join("/"),
  );
}
