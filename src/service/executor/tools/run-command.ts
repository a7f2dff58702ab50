// The tool that executes a command in the sandbox, and reports its end.

import * as z from "zod/mini";
import { blockedText } from "../../core/egress/network-text.ts";
import type { RunEgress } from "../../core/egress/run-egress.ts";
import type { Sandbox, SandboxedCheckout, SandboxResult } from "../../core/ports/sandbox.ts";
import { reachesProxy } from "../../core/runs/shell-policy.ts";
import {
  type BackgroundProcesses,
  MAX_PROCESSES,
  type ProcessReading,
} from "../processes/background-processes.ts";
import { type IdentifiedTask, withoutTokens } from "../processes/identified-task.ts";
import { readingText, shownOutput } from "../processes/process-text.ts";
import { describeEnd, MAX_COMMAND_SECONDS } from "./command-end.ts";
import { defineTool, type Tool, ToolError } from "./tool.ts";
import { countInput, described, flagInput, scopeInput } from "./tool-input.ts";

export const COMMAND_TOOL = "run_command";

const DEFAULT_SECONDS = 120;
const MAX_OUTPUT_BYTES = 30_000;
const MAX_COMMAND_CHARS = 32_000;

type CommandParts = {
  readonly sandbox: Sandbox;
  readonly egress: RunEgress;
  /** Parts that the sandbox needs in addition to the tree. */
  readonly checkout: Omit<SandboxedCheckout, "root">;
  /** The run whose ID tokens commands ask for. Default: they get none. */
  readonly task?: IdentifiedTask;
  /** Null where nothing is started in the background. */
  readonly processes: BackgroundProcesses | null;
};

/** With what was blocked meanwhile, as text. */
type CommandResult = SandboxResult & { readonly blocked: string | null };
type StartedProcess = { readonly background: ProcessReading };

export function runCommandTool({
  sandbox,
  egress,
  checkout: about,
  task,
  processes,
}: CommandParts): Tool<CommandResult | StartedProcess> {
  return defineTool({
    name: COMMAND_TOOL,
    description:
      "Executes a command with bash in the repository and returns its output and exit code. No terminal, no input; nothing goes on after it, unless it is started in the background.",
    input: z.object({
      command: described(
        z.string().check(z.minLength(1), z.maxLength(MAX_COMMAND_CHARS), z.regex(/^[^\0]*$/)),
        "What bash executes (/bin/sh where bash is not installed). Several lines are allowed.",
      ),
      cwd: scopeInput("The folder to execute it in, relative to the repository's root. Default: the root."),
      timeout_seconds: countInput({
        max: MAX_COMMAND_SECONDS,
        fallback: DEFAULT_SECONDS,
        description: "Seconds after which it is ended.",
      }),
      run_in_background: flagInput(
        `Return at once and let it go on until it is stopped or the run ends: for servers and watchers. No time limit. ${portsText(sandbox)}`,
      ),
    }),
    access: "write",
    // Without a network a command only changes files.
    isOutside: sandbox.kind !== "bubblewrap" || egress.rules.agent.length > 0,
    async find(
      { command, cwd, timeout_seconds, run_in_background: isBackground },
      { checkout, signal, call },
    ): Promise<CommandResult | StartedProcess> {
      if (isBackground) return { background: await startInBackground(processes, { command, cwd, call }) };
      const before = egress.record().blocked;
      const identity = (await task?.identity?.()) ?? null;
      const egressSocket = reachesProxy(sandbox.kind) ? await egress.socket("agent") : null;
      const ended = await sandbox.run(
        { root: checkout.root, ...about },
        {
          execute: { shell: command },
          cwd,
          env: {},
          egressSocket,
          identity: identity?.commands ?? null,
          timeoutMs: timeout_seconds * 1000,
          maxOutputBytes: MAX_OUTPUT_BYTES,
          ...(processes === null ? {} : { beside: processes.beside }),
          signal,
        },
      );
      if (!ended.ok) throw new ToolError("refused", ended.refusal.detail);
      const output = withoutTokens(ended.value.output, task, identity);
      return { ...ended.value, output, blocked: blockedText(before, egress.record().blocked) };
    },
    format: (value) => ("background" in value ? readingText(value.background) : describeResult(value)),
  });
}

/** Each container has a network of its own. */
function portsText({ kind }: Pick<Sandbox, "kind">): string {
  return kind === "container"
    ? "Other commands do not reach its ports."
    : "Other commands reach its ports on localhost.";
}

async function startInBackground(
  processes: BackgroundProcesses | null,
  { call, ...work }: { readonly command: string; readonly cwd: string; readonly call: string | undefined },
): Promise<ProcessReading> {
  if (processes === null)
    throw new ToolError(
      "refused",
      "Nothing can be started in the background here. Leave run_in_background out.",
    );
  const { running } = processes;
  if (running.length >= MAX_PROCESSES)
    throw new ToolError(
      "refused",
      `${MAX_PROCESSES} commands are in the background, and no more may be: stop one of ${running.join(", ")} first.`,
    );
  const started = await processes.start(work, call);
  if (started.ending?.how === "refused") throw new ToolError("refused", started.ending.detail);
  return started;
}

const endSchema = z.object({ exitCode: z.nullable(z.int()) });
const inputSchema = z.object({ command: z.string() });
const startedSchema = z.object({ background: z.object({ command: z.string() }) });

type ExecutedCommand =
  | { readonly command: string; readonly exitCode: number | null }
  /** Its end is not known, and tells nothing. */
  | { readonly command: string; readonly isBackground: true };

/** A command that was executed, by the input and the value of its call. Null where neither tells. */
export function executedCommand(input: unknown, value: unknown): ExecutedCommand | null {
  const started = z.safeParse(startedSchema, value);
  if (started.success) return { command: started.data.background.command, isBackground: true };
  const [asked, ended] = [z.safeParse(inputSchema, input), z.safeParse(endSchema, value)];
  return asked.success && ended.success
    ? { command: asked.data.command, exitCode: ended.data.exitCode }
    : null;
}

/** The output of a command, and its end. */
export function describeResult({ blocked, ...result }: CommandResult): string {
  const output = shownOutput(result.output);
  const notes = [describeEnd(result), ...(blocked === null ? [] : [blocked])];
  return [output === "" ? "[no output]" : output, ...notes.map((note) => `[${note}]`)].join("\n");
}
