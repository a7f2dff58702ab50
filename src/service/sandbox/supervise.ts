// One command from its start to its end: output kept within a bound, the first limit passed ends it, nothing is left.

import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import type { SandboxCommand, SandboxLimit, SandboxResult } from "../core/ports/sandbox.ts";
import { BoundedOutput } from "./bounded-output.ts";

/** Whoever writes more than this has no reader in mind. */
const MAX_WRITTEN_BYTES = 256 * 1024 * 1024;

/** Resolves with the limit that was passed, or with null once `signal` aborts. */
export type Watch = (signal: AbortSignal) => Promise<SandboxLimit | null>;

export type Supervision = {
  readonly command: SandboxCommand;
  readonly child: ChildProcess;
  /** The streams that make up the command's output. */
  readonly outputs: readonly Readable[];
  /** Ends all of it, at once. May be called before the child has got far, and again. */
  readonly end: () => void;
  /** Resolves when nothing of the command is left. */
  readonly ended: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  readonly watches: readonly Watch[];
  readonly timeoutMs: number;
  readonly clock: Clock;
};

/** Rejects with the reason of the command's signal, or with what a watch failed with; all has ended by then. */
export async function supervise(work: Supervision): Promise<SandboxResult> {
  const { command, child, clock } = work;
  const startedMs = clock.monotonic();
  const output = new BoundedOutput(command.maxOutputBytes);
  const over = new AbortController();
  let limit: SandboxLimit | undefined;
  let fault: { readonly cause: unknown } | undefined;
  const pass = (passed: SandboxLimit) => {
    limit ??= passed;
    work.end();
  };

  for (const stream of work.outputs) {
    stream.on("data", (chunk: Buffer) => {
      output.add(chunk);
      command.onOutput?.(chunk);
      if (output.total > MAX_WRITTEN_BYTES) pass("output");
    });
  }
  // A command that does not read what it is given is no fault of ours.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(command.stdin);

  const timeout: Watch = (signal) =>
    clock.sleep(work.timeoutMs, signal).then(
      () => "time" as const,
      () => null,
    );
  const watching = [timeout, ...work.watches].map(async (watch) => {
    try {
      const passed = await watch(over.signal);
      if (passed !== null && !over.signal.aborted) pass(passed);
    } catch (cause) {
      // What nobody watches does not go on.
      fault ??= { cause };
      work.end();
    }
  });
  const abort = () => work.end();
  command.signal.addEventListener("abort", abort, { once: true });
  if (command.signal.aborted) abort();
  try {
    const { exitCode, signal } = await work.ended;
    over.abort();
    await Promise.all(watching);
    command.signal.throwIfAborted();
    if (fault !== undefined) throw fault.cause;
    return {
      exitCode: limit === undefined ? exitCode : null,
      signal: limit === undefined ? signal : "SIGKILL",
      output: output.text(),
      truncated: output.truncated,
      timedOut: limit === "time",
      durationMs: clock.monotonic() - startedMs,
      ...(limit === undefined ? {} : { limit }),
    };
  } finally {
    over.abort();
    command.signal.removeEventListener("abort", abort);
  }
}

/** Decided where the command is executed: a container may have other programs than this machine. */
const byBash = 'command -v bash >/dev/null 2>&1 && exec bash -c "$1"; exec /bin/sh -c "$1"';

/** A shell command is executed by the bash of PATH, by /bin/sh where there is none. */
export function argvOf(execute: SandboxCommand["execute"]): readonly [string, ...string[]] {
  return "shell" in execute ? ["/bin/sh", "-c", byBash, "sh", execute.shell] : execute.argv;
}
