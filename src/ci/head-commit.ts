// The commit that a checkout stands on, for a job whose variables do not name it.

import { runProcess } from "./run-process.ts";

const TIMEOUT_MS = 10_000;

/** Null where there is no checkout, or no git. */
export async function readHeadCommit(folder: string): Promise<string | null> {
  const end = await runProcess({
    command: "git",
    args: ["-C", folder, "rev-parse", "--verify", "HEAD^{commit}"],
    env: process.env,
    timeoutMs: TIMEOUT_MS,
  });
  const sha = end.started && end.exitCode === 0 ? end.stdout.trim() : "";
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha) ? sha : null;
}
