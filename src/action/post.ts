// The post step's entry. It never fails a job.

import { warning } from "@actions/core";
import { emptyInitialEnvironment } from "../ci/initial-environment.ts";
import { finishStep } from "./finish-step.ts";

/** The whole step, for who imports this file as `@github/local-action` does. The runner starts it as a program. */
export async function run(): Promise<void> {
  // What an agent's command left behind in the background looks at later steps, too.
  emptyInitialEnvironment();
  await finishStep().catch((error: unknown) => {
    warning(`Cleaning up failed: ${error instanceof Error ? error.message : "unknown"}`);
  });
}

if (import.meta.main) void run();
