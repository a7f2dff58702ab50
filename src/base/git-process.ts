// Runs git: no shell, a group of its own, bounded time and output. A call settles only once its process has ended.

import { type ChildProcess, spawn } from "node:child_process";

const MAX_STDERR_BYTES = 4096;
const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const DEFAULT_GRACE_MS = 2_000;
/** Git waits for ever where a file that it reads is a pipe, a `.gitignore` for one. */
const DEFAULT_TIMEOUT_MS = 60_000;

export type GitErrorCode = "git_failed" | "git_not_started" | "git_output_too_large" | "git_timed_out";

/** A git process that did not do its work. The message names neither URL nor path; `stderr` may, and is not for show. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly code: GitErrorCode;
  /** The last 4 KB of what git complained. */
  readonly stderr: string;

  constructor(options: { code: GitErrorCode; message: string; stderr?: string; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.stderr = options.stderr ?? "";
  }
}

export type GitCall = {
  /** The subcommand and what follows it. */
  readonly args: readonly string[];
  /** More that comes before the subcommand. */
  readonly options?: readonly string[];
  /** What the process reads. Nothing unless told. */
  readonly input?: string | Buffer;
  /** Variables beside the program's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** How many times the program's limit of time it may take. Default 1. */
  readonly patience?: number;
  readonly maxOutputBytes?: number;
  /** What to do with more output than that: fail, or keep what fits. Default: fail. */
  readonly onOverflow?: "fail" | "keep";
  /** Exit codes that are no failure. Default: 0 alone. */
  readonly allowedExitCodes?: readonly number[];
};

export type GitOutput = {
  readonly stdout: Buffer;
  /** False when there was more than was kept. */
  readonly complete: boolean;
  /** Null where it was ended for its output. */
  readonly exitCode: number | null;
};

/**
 * Rejects with the signal's reason when it aborts, with a `GitError` when git fails; by then the process and all that
 * it started have been ended.
 */
export type Git = (call: GitCall) => Promise<GitOutput>;

export type GitProgram = {
  /** A name looked up in `PATH`, or a path. */
  readonly path: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What comes before every subcommand. */
  readonly options: readonly string[];
  /** Where it runs. */
  readonly folder: string;
  /** From SIGTERM to SIGKILL. Default 2 s. */
  readonly graceMs?: number;
  /** The longest that a call may take. Default 60 s. */
  readonly timeoutMs?: number;
};

export function gitProgram(program: GitProgram): Git {
  return async (call) => {
    call.signal.throwIfAborted();
    const child = spawn(program.path, [...program.options, ...(call.options ?? []), ...call.args], {
      cwd: program.folder,
      env: { ...program.env, ...call.env },
      detached: true,
      stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    // A process that ends before it has read everything says why in another way.
    child.stdin?.on("error", () => {}).end(call.input);
    const timeoutMs = (program.timeoutMs ?? DEFAULT_TIMEOUT_MS) * (call.patience ?? 1);
    const end = groupEnder(child, program.graceMs ?? DEFAULT_GRACE_MS);
    return await collect(call, { child, end, timeoutMs });
  };
}

type GroupEnder = { start(): void; leaderGone(): void; done(): void };
type Running = { readonly child: ChildProcess; readonly end: GroupEnder; readonly timeoutMs: number };

async function collect(call: GitCall, { child, end, timeoutMs }: Running): Promise<GitOutput> {
  const limit = call.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  const { promise, resolve, reject } = Promise.withResolvers<GitOutput>();
  const chunks: Buffer[] = [];
  let kept = 0;
  let complete = true;
  let isLate = false;
  let stderr = Buffer.alloc(0);

  child.stdout?.on("data", (chunk: Buffer) => {
    if (!complete) return;
    const room = limit - kept;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    kept += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    complete = false;
    end.start();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-MAX_STDERR_BYTES);
  });
  child.once("error", (cause) => {
    if (child.pid !== undefined) return;
    const message = "The git program could not be started.";
    reject(new GitError({ code: "git_not_started", message, cause }));
  });
  child.once("exit", () => end.leaderGone());
  child.once("close", (exitCode, signalName) => {
    end.done();
    const command = call.args[0] ?? "";
    const failed = (code: GitErrorCode, message: string) =>
      reject(new GitError({ code, message, stderr: stderr.toString("utf8") }));
    if (call.signal.aborted) return reject(call.signal.reason);
    if (isLate)
      return failed(
        "git_timed_out",
        `git ${command} took longer than the ${timeoutMs / 1000} s that it may.`,
      );
    if (!complete && call.onOverflow !== "keep") {
      return failed("git_output_too_large", `git ${command} wrote more than ${limit} bytes.`);
    }
    if (!complete || (exitCode !== null && (call.allowedExitCodes ?? [0]).includes(exitCode))) {
      return resolve({ stdout: Buffer.concat(chunks), complete, exitCode });
    }
    return failed("git_failed", `git ${command} ended with ${exitCode ?? signalName}.`);
  });

  const timer = setTimeout(() => {
    isLate = true;
    end.start();
  }, timeoutMs);
  call.signal.addEventListener("abort", end.start, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    call.signal.removeEventListener("abort", end.start);
  }
}

/** Ends the process and everything it started: asks first, then insists. */
function groupEnder(child: ChildProcess, graceMs: number): GroupEnder {
  let timer: NodeJS.Timeout | undefined;
  const signalGroup = (name: "SIGTERM" | "SIGKILL") => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // Nobody of the group is left; or this machine has no groups.
      child.kill(name);
    }
  };
  return {
    start: () => {
      if (timer !== undefined) return;
      signalGroup("SIGTERM");
      timer = setTimeout(() => signalGroup("SIGKILL"), graceMs);
    },
    // A child of git's that ignores SIGTERM would keep our pipes open.
    leaderGone: () => {
      if (timer !== undefined) signalGroup("SIGKILL");
    },
    done: () => clearTimeout(timer),
  };
}
