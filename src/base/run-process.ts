// Runs one program: no shell, a process group of its own, bounded time and output. A call settles only once the
// process, and what it started in its group, has ended.

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { pipeline, Readable } from "node:stream";

const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024;
const DEFAULT_GRACE_MS = 2_000;
const MAX_STDERR_BYTES = 4096;

export type ProcessCall = {
  /** A name looked up in `PATH`, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which it runs. Default: where this process runs. */
  readonly folder?: string;
  /** Its standard input. Chunks that arrive one by one are read as fast as it takes them. Default: nothing. */
  readonly input?: ProcessInput;
  /** Is given what it writes to its standard output, which is not kept then. The process waits for a promise that it returns. */
  readonly onOutput?: OutputTaker;
  readonly timeoutMs: number;
  /** From SIGTERM to SIGKILL. Default 2 s. */
  readonly graceMs?: number;
  /** Bytes of standard output that are kept; more end the process. Default 64 KiB. */
  readonly maxOutputBytes?: number;
  /** A file that takes its standard output, as it comes; `stdout` is empty then. */
  readonly outputFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type ProcessInput = string | Buffer | AsyncIterable<Uint8Array>;
export type OutputTaker = ((chunk: Buffer) => void) | ((chunk: Buffer) => Promise<void> | undefined);

/** The end of a process. `stderr` is its last 4 KiB and may repeat a secret: it is not for show. */
type ProcessEnd = { readonly stdout: Buffer; readonly stderr: string } & (
  | { readonly type: "exited"; readonly exitCode: number }
  /** By a signal that was not sent from here. */
  | { readonly type: "killed"; readonly signalName: string }
  | { readonly type: "timed_out" }
  /** `stdout` holds what fits. */
  | { readonly type: "output_too_large" }
);

/** The program is missing, is not executable, or the system has no room for another process. */
export class ProcessNotStartedError extends Error {
  override readonly name = "ProcessNotStartedError";
  readonly code = "process_not_started";
}

/** Rejects with the signal's reason when it aborts, with what `input` or `onOutput` throws, with a `ProcessNotStartedError` when the program cannot start. */
export type ProcessRunner = (call: ProcessCall) => Promise<ProcessEnd>;

export const runProcess: ProcessRunner = async (call) => {
  const { command, args, env, folder, input, timeoutMs, signal } = call;
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    ...(folder === undefined ? {} : { cwd: folder }),
    env: { ...env },
    detached: true,
    windowsHide: true,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const group = new ProcessGroup(child, call.graceMs ?? DEFAULT_GRACE_MS);
  let failure: { readonly cause: unknown } | null = null;
  const fail = (cause: unknown) => {
    failure ??= { cause };
    group.end();
  };
  if (input !== undefined) feed(child, input, fail);
  const abort = () => group.end();
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    group.end();
  }, timeoutMs);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const output = collectOutput(child, {
      maxBytes: call.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
      group,
      file: call.outputFile === undefined ? null : openOutputFile(child, { path: call.outputFile, group }),
      onOutput: call.onOutput,
      fail,
    });
    const { exitCode, signalName } = await endOf(child, command).finally(output.close);
    signal?.throwIfAborted();
    const failed = failure as { readonly cause: unknown } | null;
    if (failed !== null) throw failed.cause;
    const { isComplete, ...kept } = await output.kept();
    if (hasTimedOut) return { type: "timed_out", ...kept };
    if (!isComplete) return { type: "output_too_large", ...kept };
    if (exitCode !== null) return { type: "exited", exitCode, ...kept };
    return { type: "killed", signalName: signalName ?? "a signal", ...kept };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    group.forget();
  }
};

/** Writes what the process reads. A process that ends before it has read everything says why by its exit code. */
function feed(child: ChildProcess, input: ProcessInput, fail: (cause: unknown) => void): void {
  const { stdin } = child;
  if (stdin === null) return;
  if (typeof input === "string" || input instanceof Buffer) {
    stdin.on("error", () => {}).end(input);
    return;
  }
  const source = Readable.from(input, { objectMode: false });
  pipeline(source, stdin, () => {
    if (source.errored !== null) fail(source.errored);
  });
}

type KeptOutput = { readonly stdout: Buffer; readonly stderr: string; readonly isComplete: boolean };

type Output = {
  /** Closes the file, if there is one. Never rejects. */
  close(): Promise<void>;
  /** Once the process has ended and the file is closed. Rejects where the disk refused the file. */
  kept(): Promise<KeptOutput>;
};

type OutputOptions = Pick<ProcessCall, "onOutput"> & {
  readonly maxBytes: number;
  readonly group: ProcessGroup;
  readonly file: OutputFile | null;
  readonly fail: (cause: unknown) => void;
};

/** Keeps what the process writes; ends its group when that is too much. */
function collectOutput(
  child: ChildProcess,
  { maxBytes, group, file, onOutput, fail }: OutputOptions,
): Output {
  const chunks: Buffer[] = [];
  const keep = file === null ? (chunk: Buffer) => chunks.push(chunk) : file.write;
  let keptBytes = 0;
  let isComplete = true;
  let hasExited = false;
  let stderr = Buffer.alloc(0);
  const failOutput = (cause: unknown) => {
    isComplete = false;
    fail(cause);
  };
  if (onOutput !== undefined) {
    // What the pipe still holds is little, and its end is waited for.
    child.once("exit", () => {
      hasExited = true;
      child.stdout?.resume();
    });
  }
  child.stdout?.on("data", (chunk: Buffer) => {
    if (!isComplete) return;
    if (onOutput !== undefined) {
      try {
        const taken: unknown = onOutput(chunk);
        if (!(taken instanceof Promise)) return;
        if (!hasExited) child.stdout?.pause();
        taken.catch(failOutput).finally(() => child.stdout?.resume());
      } catch (cause) {
        failOutput(cause);
      }
      return;
    }
    const room = maxBytes - keptBytes;
    keep(chunk.length > room ? chunk.subarray(0, room) : chunk);
    keptBytes += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    isComplete = false;
    group.end();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-MAX_STDERR_BYTES);
  });
  return {
    close: async () => await file?.close().catch(() => {}),
    kept: async () => {
      await file?.close();
      return { stdout: Buffer.concat(chunks), stderr: stderr.toString("utf8"), isComplete };
    },
  };
}

type OutputFile = {
  write(chunk: Buffer): void;
  /** Rejects where the disk refused. Safe to repeat. */
  close(): Promise<void>;
};

/** The process waits while the disk is slower, and ends when the disk refuses. */
function openOutputFile(
  child: ChildProcess,
  { path, group }: { path: string; group: ProcessGroup },
): OutputFile {
  const stream = createWriteStream(path);
  const written = new Promise<void>((resolve, reject) => {
    stream.once("error", reject).once("close", resolve);
  });
  written.catch(() => {
    child.stdout?.resume();
    group.end();
  });
  return {
    write: (chunk) => {
      if (stream.destroyed || stream.write(chunk)) return;
      child.stdout?.pause();
      stream.once("drain", () => child.stdout?.resume());
    },
    close: async () => {
      stream.end();
      await written;
    },
  };
}

function endOf(
  child: ChildProcess,
  command: string,
): Promise<{ exitCode: number | null; signalName: string | null }> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => {
      if (child.pid !== undefined) return;
      reject(new ProcessNotStartedError(`The program "${command}" could not be started.`, { cause }));
    });
    child.once("close", (exitCode, signalName) => resolve({ exitCode, signalName }));
  });
}

/** A process and everything that it started: SIGTERM first, SIGKILL after the grace period. */
class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, graceMs: number) {
    this.#child = child;
    this.#graceMs = graceMs;
    // A child of the process that ignores SIGTERM would keep our pipes open.
    child.once("exit", () => {
      if (this.#timer !== undefined) this.#send("SIGKILL");
    });
  }

  end(): void {
    if (this.#timer !== undefined) return;
    this.#send("SIGTERM");
    this.#timer = setTimeout(() => this.#send("SIGKILL"), this.#graceMs);
  }

  forget(): void {
    clearTimeout(this.#timer);
  }

  #send(name: "SIGTERM" | "SIGKILL"): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch {
      // Nobody of the group is left; or this system has no process groups.
      this.#child.kill(name);
    }
  }
}
