// Runs a tool of the CI provider: no shell, bounded output and time.

import { execFile } from "node:child_process";
import type { Environment } from "./provider.ts";

const MAX_OUTPUT_BYTES = 64 * 1024;

export type ProcessCall = {
  /** A name looked up in `PATH`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly timeoutMs: number;
  /** What it reads from its standard input. Nothing unless told. */
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
};

/** `exitCode` is null for a process that was ended: by a signal, for its time or for its output. */
export type ProcessEnd =
  | { readonly started: true; readonly exitCode: number | null; readonly stdout: string }
  | { readonly started: false };

/** Rejects with the signal's reason when it aborts. What the tool complains is not kept: it may repeat a secret. */
export type ProcessRunner = (call: ProcessCall) => Promise<ProcessEnd>;

export const runProcess: ProcessRunner = ({ command, args, env, timeoutMs, input, signal }) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const tool = execFile(
      command,
      [...args],
      {
        env: { ...env },
        timeout: timeoutMs,
        maxBuffer: MAX_OUTPUT_BYTES,
        encoding: "utf8",
        killSignal: "SIGKILL",
        windowsHide: true,
        ...(signal === undefined ? {} : { signal }),
      },
      (error, stdout) => {
        if (signal?.aborted === true) return reject(signal.reason);
        if (error === null) return resolve({ started: true, exitCode: 0, stdout });
        const wasStarted = error.syscall === undefined;
        const exitCode = typeof error.code === "number" ? error.code : null;
        return resolve(wasStarted ? { started: true, exitCode, stdout } : { started: false });
      },
    );
    // A tool that ends without reading it all says why by its exit code.
    tool.stdin?.on("error", () => {});
    tool.stdin?.end(input);
  });
