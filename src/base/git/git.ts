// Git for repositories that nobody has reviewed: the one way to execute it, hardened, with bounded time and output.

import { assertNever } from "../assert-never.ts";
import { type OutputTaker, type ProcessInput, ProcessNotStartedError, runProcess } from "../run-process.ts";
import {
  type GitHardening,
  type GitTransport,
  gitEnvironment,
  gitOptions,
  transportEnvironment,
} from "./hardening.ts";

const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Git waits for ever where a file that it reads is a pipe, a `.gitignore` for one. */
const DEFAULT_TIMEOUT_MS = 60_000;

type GitErrorCode =
  | "git_failed"
  | "git_not_started"
  | "git_output_too_large"
  | "git_timed_out"
  /** It used the processor time that `startedBy` allows. */
  | "git_cpu_spent";

/** A git process that failed. The message names neither URL nor path; `stderr` may, and is not for show. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly code: GitErrorCode;
  /** The last 4 KiB of git's standard error. */
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
  /** More `name=value` configuration. */
  readonly config?: readonly string[];
  /** The one transport that this call may use. Default: none. */
  readonly transport?: GitTransport;
  /** The input of the process. Default: nothing. */
  readonly input?: ProcessInput;
  /** Is given the output as it arrives, which is not kept then. Git waits for a promise that it returns. */
  readonly onOutput?: OutputTaker;
  /** More variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The multiple of the usual timeout that this call may take. Default 1. */
  readonly timeoutFactor?: number;
  readonly maxOutputBytes?: number;
  /** A file that takes the output, which may be larger than memory. */
  readonly outputFile?: string;
  /** The treatment of more output than that: fail, or keep what fits. Default: fail. */
  readonly onOverflow?: "fail" | "keep";
  /** Exit codes that are no failure. Default: 0 alone. */
  readonly allowedExitCodes?: readonly number[];
};

export type GitOutput = {
  readonly stdout: Buffer;
  /** False when there was more than was kept. */
  readonly complete: boolean;
  /** Null where the process was ended for its output. */
  readonly exitCode: number | null;
};

/**
 * Rejects with the signal's reason when it aborts, with what `input` throws, with a `GitError` when git fails; by then the process and all that
 * it started have ended.
 */
export type Git = (call: GitCall) => Promise<GitOutput>;

export type GitProgram = GitHardening & {
  /** A name looked up in `PATH`, or a path. Default "git". */
  readonly gitPath?: string;
  /** The program that starts git, with its options: it ends in the options where git's path follows. */
  readonly startedBy?: readonly [program: string, ...options: string[]];
  /** From SIGTERM to SIGKILL. Default 2 s. */
  readonly graceMs?: number;
  /** The longest that a call may take. Default 60 s. */
  readonly timeoutMs?: number;
};

/** Git for one repository. It starts nothing by itself. */
export function createGit(program: GitProgram): Git {
  const { gitPath = "git", startedBy = [], graceMs, timeoutMs = DEFAULT_TIMEOUT_MS, ...hardening } = program;
  const [command = gitPath, ...started] = [...startedBy, gitPath];
  const environment = gitEnvironment(hardening);
  const options = gitOptions(hardening.config);
  const folder = hardening.treeFolder ?? hardening.home;
  return async (call) => {
    const { args, config = [], transport = null, input, signal, timeoutFactor = 1 } = call;
    const { maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES } = call;
    const limitMs = timeoutMs * timeoutFactor;
    try {
      const end = await runProcess({
        command,
        args: [...started, ...options, ...config.flatMap((entry) => ["-c", entry]), ...args],
        env: { ...environment, ...call.env, ...transportEnvironment(transport) },
        folder,
        timeoutMs: limitMs,
        maxOutputBytes,
        outputFile: call.outputFile,
        signal,
        ...(input === undefined ? {} : { input }),
        ...(call.onOutput === undefined ? {} : { onOutput: call.onOutput }),
        ...(graceMs === undefined ? {} : { graceMs }),
      });
      const failure = (code: GitErrorCode, message: string) =>
        new GitError({ code, message: `git ${args[0] ?? ""} ${message}.`, stderr: end.stderr });
      switch (end.type) {
        case "timed_out":
          throw failure("git_timed_out", `took longer than the ${limitMs / 1000} s that it may`);
        case "output_too_large":
          if (call.onOverflow === "keep") return { stdout: end.stdout, complete: false, exitCode: null };
          throw failure("git_output_too_large", `wrote more than ${maxOutputBytes} bytes`);
        case "killed":
          throw failure(
            end.signalName === "SIGXCPU" ? "git_cpu_spent" : "git_failed",
            `ended with ${end.signalName}`,
          );
        case "exited":
          if (!(call.allowedExitCodes ?? [0]).includes(end.exitCode))
            throw failure("git_failed", `ended with ${end.exitCode}`);
          return { stdout: end.stdout, complete: true, exitCode: end.exitCode };
        default:
          return assertNever(end);
      }
    } catch (cause) {
      if (!(cause instanceof ProcessNotStartedError)) throw cause;
      const message = "The git program could not be started.";
      throw new GitError({ code: "git_not_started", message, cause });
    }
  };
}
