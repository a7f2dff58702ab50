// The main step: the recipe of a job, in the surroundings that GitHub Actions gives it.

import type { Environment } from "../base/environment.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { emptyInitialEnvironment } from "../ci/initial-environment.ts";
import { runJob } from "../job/run-job.ts";
import { listenForInterrupts } from "../job/signals.ts";
import { actionPort } from "./action-port.ts";
import { openTransport } from "./transport.ts";

/** Runs the whole step and sets the exit code. Rejects for nothing that a user can cause or meet. */
export async function run(env: Environment = jobEnvironment): Promise<void> {
  emptyInitialEnvironment();
  const interrupts = listenForInterrupts();
  const transport = openTransport();
  try {
    await runJob(actionPort({ env, interrupts, transport: transport.send }));
  } finally {
    transport.close();
    interrupts.close();
  }
}
