// The post step's entry. It never fails a job.

import { warning } from "@actions/core";
import { emptyInitialEnvironment } from "../ci/initial-environment.ts";
import { finishStep } from "./finish-step.ts";

// What an agent's command left behind in the background looks at later steps, too.
emptyInitialEnvironment();
finishStep().catch((error: unknown) => {
  warning(`Cleaning up failed: ${error instanceof Error ? error.message : "unknown"}`);
});
