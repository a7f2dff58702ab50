// The post step's entry. It never fails a job.

import { warning } from "@actions/core";
import { finishStep } from "./finish-step.ts";

finishStep().catch((error: unknown) => {
  warning(`Cleaning up failed: ${error instanceof Error ? error.message : "unknown"}`);
});
