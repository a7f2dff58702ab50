// Reads one text file of a checkout: regular, no larger than the limit, not binary.

import { constants } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";
import { refuseOutside, resolveInCheckout, showPath } from "./checkout-path.ts";
import { ToolError } from "./tool.ts";

/** Larger files are searched, not read. */
export const MAX_FILE_BYTES = 1024 * 1024;
/** How far git looks for a NUL before it calls a file text. */
const SNIFFED_BYTES = 8000;

/** The text of a file, without a byte order mark; bytes that are no UTF-8 become U+FFFD. */
export async function readTextFile(root: string, path: string): Promise<string> {
  const target = await resolveInCheckout(root, path);
  const name = showPath(path);
  // NONBLOCK: opening a pipe must not block.
  const file = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause) => {
      throw new ToolError("not_found", `The file ${name} cannot be opened.`, { cause });
    },
  );
  try {
    await refuseSwapped(file, { root, path });
    const about = await file.stat();
    const { size } = about;
    if (!about.isFile())
      throw new ToolError("not_text", `${name} is not a file. Use list_files for a folder.`);
    if (size > MAX_FILE_BYTES) {
      const message = `The file ${name} has ${size} bytes, at most ${MAX_FILE_BYTES} are read. Use search instead.`;
      throw new ToolError("too_large", message);
    }
    const bytes = await file.readFile();
    if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) {
      throw new ToolError("not_text", `The file ${name} is binary (${size} bytes).`);
    }
    return new TextDecoder().decode(bytes);
  } finally {
    await file.close();
  }
}

/**
 * Checks where the open file really is: a folder on its path may have been swapped for a link between the check of the
 * path and the open. Only Linux tells the path of an open file, and only there agents run in a sandbox.
 */
async function refuseSwapped(
  file: FileHandle,
  { root, path }: { root: string; path: string },
): Promise<void> {
  if (process.platform !== "linux") return;
  await refuseOutside(root, { path, target: await readlink(`/proc/self/fd/${file.fd}`) });
}
