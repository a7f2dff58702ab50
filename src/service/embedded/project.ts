// A project's commands in the sandbox that a run's commands would have, without a run; and what an agent would know of the project: its
// test command, and which of its files are instructions.

import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { rulesOf } from "../core/egress/rules.ts";
import type { Sandbox } from "../core/ports/sandbox.ts";
import { egressProvider } from "../egress/egress.ts";
import { checkIn } from "../executor/checks/check-kinds.ts";
import { readProjectChecks } from "../executor/checks/project-checks.ts";
import { makeHome, removeHome } from "../sandbox/agent-homes.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import type { Config } from "../settings/config.ts";
import { embeddedConfig, warningLog } from "./embedded.ts";

export { isInstructionFile } from "../executor/memory/memory-files.ts";

const MAX_OUTPUT_BYTES = 64_000;

type ProjectOptions = {
  /** The job's. */
  readonly environment: Environment;
  /** The checkout whose tools the job has. */
  readonly root: string;
  /** A folder for what lives as long as this. */
  readonly tempFolder: string;
  /** Whether commands may be executed where there is no sandbox. */
  readonly isTrusted: boolean;
  readonly onWarning: (message: string) => void;
};

type ProjectCommandEnd =
  | { readonly type: "exited"; readonly exitCode: number; readonly output: string }
  | { readonly type: "limited"; readonly limit: string; readonly output: string };

type ProjectCommand = {
  readonly root: string;
  readonly command: string;
  readonly timeoutMs: number;
  /** Whether package registries can be reached. Nothing else ever can, where there is a sandbox. */
  readonly isSetup: boolean;
  readonly signal: AbortSignal;
};

/** Commands are refused: there is no sandbox, and whoever made the files is not known to be a writer. */
export class CommandsRefusedError extends Error {
  readonly code = "commands_refused";
}

type ProjectCommands = {
  readonly isConfined: boolean;
  run(command: ProjectCommand): Promise<ProjectCommandEnd>;
};

/** Rejects with EmbeddedSettingsError, SandboxError, and CommandsRefusedError where nothing may be executed. */
export async function openProjectCommands(options: ProjectOptions): Promise<ProjectCommands> {
  const { environment, root, tempFolder, isTrusted, onWarning } = options;
  const given = { environment, model: {}, egress: [], root, asksByKey: false };
  const config = embeddedConfig(given, join(tempFolder, "commands"));
  const sandbox = await findSandbox(config.sandbox, warningLog(onWarning));
  if (sandbox.kind === "none" && !isTrusted && config.sandbox.mode !== "off") {
    throw new CommandsRefusedError(
      "The tests of this repository are not executed: there is no sandbox, and the job's event is one that anybody can start. Install bubblewrap in a step before.",
    );
  }
  const parts = { sandbox, config, isTrusted };
  return { isConfined: sandbox.kind !== "none", run: (command) => run(command, parts) };
}

type Parts = { readonly sandbox: Sandbox; readonly config: Config; readonly isTrusted: boolean };

async function run(command: ProjectCommand, parts: Parts): Promise<ProjectCommandEnd> {
  const { root, timeoutMs, isSetup, signal } = command;
  const { sandbox, config, isTrusted } = parts;
  const { homesFolder } = config.sandbox;
  const folders = { make: () => makeHome(homesFolder), remove: removeHome };
  const rules = rulesOf(isSetup ? ["setup"] : [], config.egress.registries);
  const egress = egressProvider({ config: config.egress, folders }).open({ runId: "project", rules });
  try {
    const ended = await sandbox.run(
      { root, gitFolder: null, isTrusted },
      {
        execute: { shell: command.command },
        cwd: "",
        env: {},
        egressSocket: await egress.socket("setup"),
        timeoutMs,
        longestMs: timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal,
      },
    );
    if (!ended.ok) throw new CommandsRefusedError(ended.refusal.detail);
    const { output, exitCode, limit, timedOut } = ended.value;
    if (timedOut || limit !== undefined) return { type: "limited", limit: limit ?? "time", output };
    // Of a command that a signal ended: as a shell says it.
    return { type: "exited", exitCode: exitCode ?? 137, output };
  } finally {
    await egress.close();
  }
}

type ProjectReader = Parameters<typeof readProjectChecks>[0];

/** The project's own test command, from its manifests or its CI. Null where none is known. */
export async function findTestCommand(reader: ProjectReader): Promise<string | null> {
  const { commands, scripts } = await readProjectChecks(reader);
  return commands.find((command) => checkIn(command, scripts)?.kind === "test") ?? null;
}
