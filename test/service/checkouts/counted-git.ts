// A git that notes what it is started for: each process takes several milliseconds of every run.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const SUBCOMMANDS = "apply|checkout|config|diff|fetch|init|[a-z]*-*";

export type CountedGit = {
  /** The program. Its name is "git", in a folder of its own. */
  readonly path: string;
  /** Subcommands since the last call, sorted. Those that git starts itself are not among them. */
  started(): Promise<readonly string[]>;
};

export async function countedGit(folder: string): Promise<CountedGit> {
  const path = join(folder, "counted", "git");
  const calls = join(folder, "calls");
  await mkdir(dirname(path), { recursive: true });
  const note = `for word in "$@"; do case "$word" in ${SUBCOMMANDS}) echo "$word" >> '${calls}'; break;; esac; done`;
  const script = `#!/bin/sh\n${note}\nPATH='${process.env.PATH}' exec git "$@"\n`;
  await writeFile(path, script, { mode: 0o755 });
  return {
    path,
    started: async () => {
      const words = (await readFile(calls, "utf8")).trim().split("\n").sort();
      await rm(calls);
      return words;
    },
  };
}
