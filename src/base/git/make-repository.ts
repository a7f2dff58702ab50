// A new git folder, made without a process where git has nothing to find out: gitrepository-layout(5). Starting git takes several
// milliseconds, and a run makes up to four of them.
// Why: docs/decisions/139-git-is-started-seldom.md

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "./git.ts";
import type { ObjectFormat } from "./object-names.ts";

type NewRepository = {
  /** Of this git folder. */
  readonly git: Git;
  readonly gitFolder: string;
  readonly objectFormat: ObjectFormat;
  /** Default: false. */
  readonly isBare?: boolean;
  /** A commit, which need not be there yet, or a branch, "refs/heads/…". Default: a branch without a commit. */
  readonly head?: string;
  readonly signal: AbortSignal;
};

const UNBORN = "refs/heads/main";

/** Makes the folder, or fills it. Rejects with a GitError, and as the disk does. */
export async function makeRepository(made: NewRepository): Promise<void> {
  const { git, gitFolder, objectFormat, isBare = false, head = UNBORN, signal } = made;
  const folders = [join("objects", "info"), join("objects", "pack"), join("refs", "heads")];
  for (const folder of folders) await mkdir(join(gitFolder, folder), { recursive: true });
  const isBranch = head.startsWith("refs/");
  // Elsewhere git looks whether the disk tells large letters from small ones, and files that can be executed.
  if (process.platform !== "linux") {
    const bare = isBare ? ["--bare"] : [];
    await git({
      args: ["init", "--quiet", ...bare, "--template=", `--object-format=${objectFormat}`],
      signal,
    });
  } else await writeFile(join(gitFolder, "config"), configOf({ objectFormat, isBare }));
  await writeFile(join(gitFolder, "HEAD"), isBranch ? `ref: ${head}\n` : `${head}\n`);
}

function configOf({ objectFormat, isBare }: Pick<Required<NewRepository>, "objectFormat" | "isBare">) {
  const core = [`repositoryformatversion = ${objectFormat === "sha1" ? 0 : 1}`, "filemode = true"];
  const extensions = objectFormat === "sha1" ? [] : ["[extensions]", `\tobjectformat = ${objectFormat}`];
  return ["[core]", ...[...core, `bare = ${isBare}`].map((line) => `\t${line}`), ...extensions, ""].join(
    "\n",
  );
}
