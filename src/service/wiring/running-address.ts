// The address of the service that holds a data folder: a file in that folder, for the commands of its operator.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ADDRESS_FILE = "agent-service.url";

type RunningAddress = {
  readonly url: string;
  /** The address of the pages for people. */
  readonly pagesUrl: string;
};

/** Writes the address down until `remove` is called. Without a data folder it writes nothing. */
export function recordRunningAddress(dataDir: string, { url, pagesUrl }: RunningAddress): { remove(): void } {
  const path = join(dataDir, ADDRESS_FILE);
  try {
    writeFileSync(path, `${process.pid} ${url} ${pagesUrl}\n`);
  } catch {
    // A node that only answers needs no data folder.
  }
  return { remove: () => rmSync(path, { force: true }) };
}

/** Null where no service runs on the folder, as far as this machine can tell. */
export function readRunningAddress(dataDir: string): RunningAddress | null {
  try {
    const [pid, url, pagesUrl = url] = readFileSync(join(dataDir, ADDRESS_FILE), "utf8").trim().split(" ");
    return url !== undefined && pagesUrl !== undefined && isAlive(Number(pid)) ? { url, pagesUrl } : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM: it lives, and is somebody else's.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
