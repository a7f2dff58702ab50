// What it takes to call GitHub from this job.

import type { Environment } from "../ci/provider.ts";
import type { RetryNotice } from "../client/retry.ts";
import type { Transport } from "../client/transport.ts";
import { retryNote } from "../job/notes.ts";
import { sayLine } from "./say-line.ts";

export type GitHubAccess = {
  readonly env: Environment;
  readonly transport: Transport;
  readonly onRetry: (notice: RetryNotice) => void;
};

export function githubAccess({ env, transport }: Pick<GitHubAccess, "env" | "transport">): GitHubAccess {
  return { env, transport, onRetry: (notice) => sayLine(retryNote(notice)) };
}
