// The size of git's object store, which bounds a fetch.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** The bytes that git has stored or is storing in a folder of objects, counted from the sizes of its packs. */
export async function storedBytes(objectFolder: string): Promise<number> {
  const packs = join(objectFolder, "pack");
  const names = await readdir(packs).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(packs, name)).then(
      (file) => file.size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
