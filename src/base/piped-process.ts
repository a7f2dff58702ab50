// A program by its pipes and its end, wherever it is executed; and a child process as one. Children are leaders of process groups of their own.

import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export type ProcessExit =
  | { readonly type: "not_started"; readonly code: string }
  | { readonly type: "exited"; readonly exitCode: number | null; readonly signal: string | null }
  /** The connection to it was cut. It has ended, and what it wrote last is lost. */
  | { readonly type: "cut" };

export type PipedProcess = {
  readonly input: Writable;
  readonly output: Readable;
  /** Its standard error. */
  readonly complaints: Readable;
  /** Resolves once it has ended. What it left behind may hold its pipes. */
  readonly exited: Promise<ProcessExit>;
  /** Aborts once all that was written can be read. */
  readonly closed: AbortSignal;
  /** Signals it and its group. Does nothing once the group is empty. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
};

export function pipedProcess(child: ChildProcessWithoutNullStreams): PipedProcess {
  const closed = new AbortController();
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once("error", (cause: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      closed.abort();
      resolve({ type: "not_started", code: cause.code ?? "unknown" });
    });
    child.once("exit", (exitCode, signal) => resolve({ type: "exited", exitCode, signal }));
  });
  child.once("close", () => closed.abort());
  const { stdin: input, stdout: output, stderr: complaints } = child;
  return {
    input,
    output,
    complaints,
    exited,
    closed: closed.signal,
    signal: (name) => signalGroup(child, name),
  };
}

function signalGroup(child: ChildProcess, name: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group is empty.
  }
}
