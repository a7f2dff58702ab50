// Checks that every kind of sandbox makes before it executes a command.

import { ok, type Result, refused } from "../../base/result.ts";
import type { SandboxCommand, SandboxedCheckout, SandboxRefusal } from "../core/ports/sandbox.ts";
import { faultOfName } from "./scrubbed-environment.ts";
import { type WorkingFolder, workingFolder } from "./working-folder.ts";

/** The folder to start in, or why the command is refused. Throws the reason of its signal. */
export async function prepareCommand(
  checkout: SandboxedCheckout,
  command: SandboxCommand,
): Promise<Result<WorkingFolder, SandboxRefusal>> {
  command.signal.throwIfAborted();
  for (const [name, value] of Object.entries(command.env)) {
    const fault = value.includes("\0") ? "holds a NUL" : faultOfName(name);
    if (fault === null) continue;
    const detail = `The variable ${JSON.stringify(name.slice(0, 100))} ${fault}. Leave it out.`;
    return refused({ reason: "environment_refused", detail });
  }
  const folder = await workingFolder(checkout.root, command.cwd);
  return folder.ok ? ok(folder.value) : folder;
}
