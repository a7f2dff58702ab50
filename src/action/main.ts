// The main step's entry. It starts for every comment of a repository: the recipe is loaded only where a request may be.

import { jobEnvironment } from "../ci/environment.ts";
import { skipQuietly } from "../github/trigger/quiet-skip.ts";

/** The whole step, for who imports this file as `@github/local-action` does. The runner starts it as a program. */
export async function run(): Promise<void> {
  if (skipQuietly(jobEnvironment)) return;
  try {
    const recipe = await import("./run-agent.ts");
    await recipe.run();
  } catch (error) {
    process.stdout.write(`::error::${unexpected(error)}\n`);
    process.exitCode = 1;
  }
}

function unexpected(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return `Unexpected error. Please report it. ${stack}`.replaceAll("%", "%25").replaceAll(/\r?\n/g, "%0A");
}

if (import.meta.main) void run();
