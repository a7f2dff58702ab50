// The part of the command that holds every subcommand, each loaded when it is called for.

import { commands } from "./commands.ts";
import { runProgram } from "./program.ts";

/** Resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  return await runProgram(args, commands);
}
