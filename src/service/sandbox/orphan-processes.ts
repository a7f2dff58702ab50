// Finds processes that an agent or a command started and let go of: they left its group, and are known by a variable that they
// were given, such as their home. Linux alone tells; elsewhere, and for those who dropped their environment, a sandbox has to end them.

import { readdir, readFile } from "node:fs/promises";

const processId = /^\d+$/;
/** Each pass may find processes that were started since the last one. */
const MAX_PASSES = 20;
/** One look may come between the end of a process and the start of the one that it was replaced by. */
const EMPTY_PASSES = 2;

/** Ends every process whose environment names `home`, a folder that nobody else has. */
export async function endOrphanProcesses(home: string): Promise<void> {
  await endProcessesWith("HOME", home);
}

/** Ends every process in whose environment the variable has this value, which nobody else's has. */
export async function endProcessesWith(variable: string, value: string): Promise<void> {
  let empty = 0;
  for (let pass = 0; pass < MAX_PASSES && empty < EMPTY_PASSES; pass += 1) {
    const found = await processesWith(`${variable}=${value}`);
    empty = found.length === 0 ? empty + 1 : 0;
    for (const id of found) kill(id);
  }
}

async function processesWith(entry: string): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const ids = names.filter((name) => processId.test(name)).map(Number);
  const isOurs = await Promise.all(
    ids.map(async (id) => {
      // Of a process of another user, and of one that has ended and waits for its parent, nothing can be read.
      const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
      return id !== process.pid && environment.split("\0").includes(entry);
    }),
  );
  return ids.filter((_, index) => isOurs[index]);
}

function kill(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
