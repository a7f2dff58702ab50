// The tool that executes a command in the sandbox, and reports its end.

import * as z from "zod/mini";
import { assertNever } from "../../../base/assert-never.ts";
import { blockedText } from "../../core/egress/network-text.ts";
import type { RunEgress } from "../../core/egress/run-egress.ts";
import type { Sandbox, SandboxedCheckout, SandboxLimit, SandboxResult } from "../../core/ports/sandbox.ts";
import { defineTool, type Tool, ToolError } from "./tool.ts";
import { countInput, described, scopeInput } from "./tool-input.ts";

export const COMMAND_TOOL = "run_command";

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 600;
const MAX_OUTPUT_BYTES = 30_000;
const MAX_COMMAND_CHARS = 32_000;

type CommandParts = {
  readonly sandbox: Sandbox;
  readonly egress: RunEgress;
  /** Parts that the sandbox needs in addition to the tree. */
  readonly checkout: Omit<SandboxedCheckout, "root">;
};

/** With what was blocked meanwhile, as text. */
type CommandResult = SandboxResult & { readonly blocked: string | null };

export function runCommandTool({ sandbox, egress, checkout: about }: CommandParts): Tool<CommandResult> {
  return defineTool({
    name: COMMAND_TOOL,
    description:
      "Executes a command with bash in the repository and returns its output and exit code. No terminal, no input; nothing goes on in the background after it.",
    input: z.object({
      command: described(
        z.string().check(z.minLength(1), z.maxLength(MAX_COMMAND_CHARS), z.regex(/^[^\0]*$/)),
        "What bash executes (/bin/sh where bash is not installed). Several lines are allowed.",
      ),
      cwd: scopeInput("The folder to execute it in, relative to the repository's root. Default: the root."),
      timeout_seconds: countInput({
        max: MAX_SECONDS,
        fallback: DEFAULT_SECONDS,
        description: "Seconds after which it is ended.",
      }),
    }),
    access: "write",
    // Without a network a command only changes files.
    isOutside: sandbox.kind !== "bubblewrap" || egress.rules.agent.length > 0,
    async find({ command, cwd, timeout_seconds }, { checkout, signal }): Promise<CommandResult> {
      const before = egress.record().blocked;
      // Where there is no bubblewrap, commands have the network of whatever executes them.
      const egressSocket = sandbox.kind === "bubblewrap" ? await egress.socket("agent") : null;
      const ended = await sandbox.run(
        { root: checkout.root, ...about },
        {
          execute: { shell: command },
          cwd,
          env: {},
          egressSocket,
          timeoutMs: timeout_seconds * 1000,
          maxOutputBytes: MAX_OUTPUT_BYTES,
          signal,
        },
      );
      if (!ended.ok) throw new ToolError("refused", ended.refusal.detail);
      return { ...ended.value, blocked: blockedText(before, egress.record().blocked) };
    },
    format: describeResult,
  });
}

const endSchema = z.object({ exitCode: z.nullable(z.int()) });
const inputSchema = z.object({ command: z.string() });

/** A command that was executed, by the input and the value of its call, and its exit code. Null where neither tells. */
export function executedCommand(
  input: unknown,
  value: unknown,
): { readonly command: string; readonly exitCode: number | null } | null {
  const [asked, ended] = [z.safeParse(inputSchema, input), z.safeParse(endSchema, value)];
  return asked.success && ended.success
    ? { command: asked.data.command, exitCode: ended.data.exitCode }
    : null;
}

/** The output of a command, and its end. */
export function describeResult({ blocked, ...result }: CommandResult): string {
  // A stream of events has no place for NUL.
  const output = result.output.replaceAll("\0", "\ufffd").replace(/\n$/, "");
  const notes = [howItEnded(result), ...(blocked === null ? [] : [blocked])];
  return [output === "" ? "[no output]" : output, ...notes.map((note) => `[${note}]`)].join("\n");
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
