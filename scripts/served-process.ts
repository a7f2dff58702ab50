// A child process that serves: `agent-service`, built, or one of the benchmark's own.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { opened } from "./opened.ts";

const root = join(import.meta.dirname, "..");

export type ServedProcess = {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its "ready" line. */
  readonly readyMs: number;
  stop(): Promise<void>;
};

/** A child that prints a line with `"url":"…"` once it is ready. */
export async function startServer(options: {
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}): Promise<ServedProcess> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, options.args, {
    cwd: root,
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = opened(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  const url = await readyUrl(child);
  return { url, pid: child.pid ?? 0, readyMs: performance.now() - startedAt, stop };
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`The server ended with ${code} before it was ready.`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      if (text.length > 10_000) return;
      text += chunk.toString();
      const url = /"url":"([^"]+)"/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** Resident memory in MB, where the system tells. */
export function residentMb(pid: number): number | null {
  try {
    const kb = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kb === undefined ? null : Number(kb) / 1024;
  } catch {
    return null;
  }
}

/** Milliseconds of CPU that the process has used since its start, all of its threads, where the system tells. */
export function cpuMs(pid: number): number | null {
  return cpuTimes(pid)?.own ?? null;
}

/** As `cpuMs`, with that of the child processes that have ended, and of theirs. */
export function cpuMsWithChildren(pid: number): number | null {
  const times = cpuTimes(pid);
  return times === null ? null : times.own + times.children;
}

/** Of the process, and of its child processes that have ended, apart; null where the system does not tell. */
export function processCpu(pid: number): { readonly ownMs: number; readonly childrenMs: number } | null {
  const times = cpuTimes(pid);
  return times === null ? null : { ownMs: times.own, childrenMs: times.children };
}

function cpuTimes(pid: number): { own: number; children: number } | null {
  try {
    // proc_pid_stat(5): utime, stime, cutime and cstime are fields 14 to 17, in ticks of 10 ms. Field 2 may contain spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [user, system, childUser, childSystem] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 15)
      .map((ticks) => Number(ticks) * 10);
    return { own: (user ?? 0) + (system ?? 0), children: (childUser ?? 0) + (childSystem ?? 0) };
  } catch {
    return null;
  }
}
