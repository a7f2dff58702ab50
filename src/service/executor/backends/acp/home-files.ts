// The agent's own settings in its home. What an earlier process of the agent left there may hold links to anywhere: none is followed.

import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Into a home that nobody uses yet, text by path. What stands in the place of a file or of its folder is replaced. */
export async function writeHomeFiles(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    let place = home;
    const names = path.split("/");
    for (const name of names.slice(0, -1)) {
      place = join(place, name);
      await makeFolder(place);
    }
    place = join(place, names.at(-1) ?? "");
    await rm(place, { recursive: true, force: true });
    await writeFile(place, text, { flag: "wx" });
  }
}

async function makeFolder(place: string): Promise<void> {
  const found = await lstat(place).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    return null;
  });
  if (found?.isDirectory() === true) return;
  await rm(place, { force: true });
  await mkdir(place, { mode: 0o700 });
}
