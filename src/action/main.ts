// The main step's entry. It starts for every comment of a repository: the recipe is loaded only where a request may be.

import { jobEnvironment } from "../ci/environment.ts";
import { skipQuietly } from "../github/trigger/quiet-skip.ts";

if (!skipQuietly(jobEnvironment)) {
  import("./run-agent.ts")
    .then(({ run }) => run())
    .catch((error: unknown) => {
      process.stdout.write(`::error::${unexpected(error)}\n`);
      process.exitCode = 1;
    });
}

function unexpected(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return `Unexpected error. Please report it. ${stack}`.replaceAll("%", "%25").replaceAll(/\r?\n/g, "%0A");
}
