// The path of a program, by a PATH.

import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";

/** The first in an absolute folder of `path` that may be executed; null where there is none. */
export async function programIn(path: string, name: string): Promise<string | null> {
  for (const folder of path.split(":").filter((part) => part.startsWith("/"))) {
    const program = join(folder, name);
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return program;
  }
  return null;
}
