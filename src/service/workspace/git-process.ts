// Runs git: no shell, a group of its own, bounded output. A call settles only once its process has ended.

import { type ChildProcess, spawn } from "node:child_process";
import { type GitSettings, gitEnvironment, gitOptions } from "./git-settings.ts";

const MAX_STDERR_BYTES = 4096;
const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const DEFAULT_GRACE_MS = 2_000;

export type GitErrorCode = "git_failed" | "git_not_started" | "git_output_too_large";

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
  /** What the process reads. Nothing unless told. */
  readonly input?: string;
  /** Extra `name=value` configuration. */
  readonly config?: readonly string[];
  readonly signal: AbortSignal;
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
};

/**
 * Runs git calls for one workspace. Rejects with the signal's reason when it aborts, with a `GitError` when git
 * fails; by then the process and all that it started have been ended.
 */
export type Git = (call: GitCall) => Promise<GitOutput>;

export type GitProgram = GitSettings & {
  /** A name looked up in `PATH`, or a path. */
  readonly gitPath: string;
  /** From SIGTERM to SIGKILL. Default 2 s. */
  readonly graceMs?: number;
};

export function createGit(settings: GitProgram): Git {
  const env = gitEnvironment(settings);
  return async (call) => {
    call.signal.throwIfAborted();
    const child = spawn(settings.gitPath, [...gitOptions(call.config), ...call.args], {
      cwd: settings.treeFolder,
      env,
      detached: true,
      stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    // A process that ends before it has read everything says why in another way.
    child.stdin?.on("error", () => {}).end(call.input);
    return await collect(call, { child, end: groupEnder(child, settings.graceMs ?? DEFAULT_GRACE_MS) });
  };
}

type GroupEnder = { start(): void; leaderGone(): void; done(): void };
type Running = { readonly child: ChildProcess; readonly end: GroupEnder };

async function collect(call: GitCall, { child, end }: Running): Promise<GitOutput> {
  const limit = call.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  const { promise, resolve, reject } = Promise.withResolvers<GitOutput>();
  const chunks: Buffer[] = [];
  let kept = 0;
  let complete = true;
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
    reject(
      new GitError({ code: "git_not_started", message: "The git program could not be started.", cause }),
    );
  });
  child.once("exit", () => end.leaderGone());
  child.once("close", (exitCode, signalName) => {
    end.done();
    const command = call.args[0] ?? "";
    if (call.signal.aborted) return reject(call.signal.reason);
    if (!complete && call.onOverflow !== "keep") {
      const message = `git ${command} wrote more than ${limit} bytes.`;
      return reject(new GitError({ code: "git_output_too_large", message }));
    }
    const allowed = call.allowedExitCodes ?? [0];
    if (!complete || (exitCode !== null && allowed.includes(exitCode))) {
      return resolve({ stdout: Buffer.concat(chunks), complete });
    }
    const message = `git ${command} ended with ${exitCode ?? signalName}.`;
    return reject(new GitError({ code: "git_failed", message, stderr: stderr.toString("utf8") }));
  });

  call.signal.addEventListener("abort", end.start, { once: true });
  try {
    return await promise;
  } finally {
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
      // Nobody of the group is left.
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
