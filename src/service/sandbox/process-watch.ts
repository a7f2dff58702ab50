// Counts the processes of a sandbox and their memory, through the /proc of its first process.

import { readdir, readFile, readlink } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import type { SandboxLimit } from "../core/ports/sandbox.ts";
import { SandboxError } from "./sandbox-error.ts";

const LOOK_EVERY_MS = 100;
const LOOK_FOR_START_EVERY_MS = 5;
const MAX_START_MS = 5_000;
const processId = /^\d+$/;

type ProcessWatch = {
  /** The first process of the sandbox's process namespace, as this machine numbers it. */
  readonly firstProcess: number;
  /** The number of that namespace. */
  readonly processNamespace: number;
  readonly maxProcesses: number;
  readonly maxMemoryBytes: number;
  /** Called once the sandbox is made: nothing outside of it can change any more what is shown in it. */
  readonly onMade?: (() => void) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** Returns the limit that was exceeded, or null when the sandbox has ended. Threads count as processes. */
export async function watchProcesses(watch: ProcessWatch): Promise<SandboxLimit | null> {
  // Mounted by bubblewrap before any command of the repository ran, in a mount namespace that they cannot change.
  const folder = `/proc/${watch.firstProcess}/root/proc`;
  await sandboxIsMade(watch, folder);
  watch.onMade?.();
  while (!watch.signal.aborted) {
    const seen = await countInside(folder, watch.maxProcesses);
    if (seen === null) return null;
    if (seen.processes > watch.maxProcesses) return "processes";
    if (seen.memoryBytes > watch.maxMemoryBytes) return "memory";
    await watch.clock.sleep(LOOK_EVERY_MS, watch.signal).catch(() => undefined);
  }
  return null;
}

/** Before, the first process still sees this machine's /proc, and other processes would be counted. */
async function sandboxIsMade(watch: ProcessWatch, folder: string): Promise<void> {
  const wanted = `pid:[${watch.processNamespace}]`;
  const giveUpMs = watch.clock.monotonic() + MAX_START_MS;
  while (!watch.signal.aborted) {
    if ((await readlink(`${folder}/1/ns/pid`).catch(() => null)) === wanted) return;
    if (watch.clock.monotonic() > giveUpMs)
      throw new SandboxError("sandbox_not_watched", "The processes of the sandbox cannot be seen.");
    await watch.clock.sleep(LOOK_FOR_START_EVERY_MS, watch.signal).catch(() => undefined);
  }
}

type Seen = { readonly processes: number; readonly memoryBytes: number };

async function countInside(folder: string, enough: number): Promise<Seen | null> {
  const names = await readdir(folder).catch((cause: unknown) => {
    if (isGone(cause)) return null;
    throw new SandboxError("sandbox_not_watched", "The processes of the sandbox cannot be counted.", {
      cause,
    });
  });
  if (names === null) return null;
  const ids = names.filter((name) => processId.test(name));
  // Too many to be measured one by one.
  if (ids.length > enough) return { processes: ids.length, memoryBytes: 0 };
  const each = await Promise.all(
    ids.map((id) => readFile(`${folder}/${id}/status`, "latin1").catch(() => "")),
  );
  return {
    processes: each.reduce((sum, status) => sum + numberOf(status, "Threads"), 0),
    // Shared memory is counted for each process that shares it.
    memoryBytes: each.reduce(
      (sum, status) => sum + 1024 * (numberOf(status, "RssAnon") + numberOf(status, "RssShmem")),
      0,
    ),
  };
}

function numberOf(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(status)?.[1] ?? 0);
}

function isGone(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "ENOENT" || code === "ESRCH";
}
