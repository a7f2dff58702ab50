// The part of the command that serves. What it imports is loaded at once, and nothing else: it is a bundle of its own.
// Why: docs/decisions/080-serve-is-a-bundle-of-its-own.md

import { runProgram } from "./program.ts";
import { serve, work } from "./serve.ts";

/** Resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  return await runProgram(args, { serve: async () => serve, work: async () => work });
}
