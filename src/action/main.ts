// The main step's entry.

import { setFailed } from "@actions/core";
import { runAgent } from "./run-agent.ts";

runAgent().catch((error: unknown) => {
  setFailed(`Unexpected error. Please report it. ${error instanceof Error ? error.stack : ""}`);
});
