// The tool that executes a command in the sandbox, and says how it ended.

import * as z from "zod/mini";
import { assertNever } from "../../../base/assert-never.ts";
import type { Sandbox, SandboxedCheckout, SandboxLimit, SandboxResult } from "../../core/ports/sandbox.ts";
import { countInput, defineTool, type Tool, ToolError } from "./tool.ts";

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 600;
const MAX_OUTPUT_BYTES = 30_000;
const MAX_COMMAND_CHARS = 32_000;

export type ShellParts = {
  readonly sandbox: Sandbox;
  /** What the sandbox needs in addition to the tree. */
  readonly checkout: Omit<SandboxedCheckout, "root">;
};

export function shellTool({ sandbox, checkout: about }: ShellParts): Tool<SandboxResult> {
  return defineTool({
    name: "shell",
    description:
      "Executes a command with /bin/sh in the repository and returns its output and exit code. No terminal, no input; nothing goes on in the background after it.",
    input: z.object({
      command: z.string().check(z.minLength(1), z.maxLength(MAX_COMMAND_CHARS), z.regex(/^[^\0]*$/)),
      /** Relative to the repository's root. */
      cwd: z._default(z.string(), ""),
      timeout_seconds: countInput({ max: MAX_SECONDS, fallback: DEFAULT_SECONDS }),
    }),
    access: "write",
    async find({ command, cwd, timeout_seconds }, { checkout, signal }): Promise<SandboxResult> {
      const ended = await sandbox.run(
        { root: checkout.root, ...about },
        {
          execute: { shell: command },
          cwd,
          env: {},
          timeoutMs: timeout_seconds * 1000,
          maxOutputBytes: MAX_OUTPUT_BYTES,
          signal,
        },
      );
      if (!ended.ok) throw new ToolError("refused", ended.refusal.detail);
      return ended.value;
    },
    format: describeResult,
  });
}

/** What a command wrote, and how it ended. */
export function describeResult(result: SandboxResult): string {
  // A stream of events has no place for NUL.
  const output = result.output.replaceAll("\0", "\ufffd").replace(/\n$/, "");
  return `${output === "" ? "[no output]" : output}\n[${howItEnded(result)}]`;
}

function howItEnded({ exitCode, signal, limit, durationMs }: SandboxResult): string {
  if (limit !== undefined) return explainLimit(limit, durationMs);
  return exitCode === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
}

function explainLimit(limit: SandboxLimit, durationMs: number): string {
  switch (limit) {
    case "time": {
      const seconds = Math.round(durationMs / 1000);
      return `ended after ${seconds} s, the time limit: do less at once, or set timeout_seconds (at most ${MAX_SECONDS})`;
    }
    case "output":
      return "ended: it wrote more output than is allowed. Write to a file, or less";
    case "memory":
      return "ended: it used more memory than is allowed";
    case "processes":
      return "ended: it started more processes than are allowed";
    case "disk":
      return "ended: its files grew larger than is allowed";
    default:
      return assertNever(limit);
  }
}
