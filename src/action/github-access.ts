// Access to GitHub from this job: API, repository and token.

import type { RetryNotice } from "../base/backoff.ts";
import type { Environment } from "../base/environment.ts";
import type { Transport } from "../client/transport.ts";
import type { CodeHost } from "../github/code-host.ts";
import { retryNote } from "../job/notes.ts";
import type { ActionStep } from "./action-types.ts";
import type { Inputs } from "./inputs.ts";
import { sayLine } from "./say-line.ts";

type GitHubAccess = {
  readonly env: Environment;
  readonly transport: Transport;
  readonly onRetry: (notice: RetryNotice) => void;
};

export function githubAccess({ env, transport }: Pick<GitHubAccess, "env" | "transport">): GitHubAccess {
  return { env, transport, onRetry: (notice) => sayLine(retryNote(notice)) };
}

/** GitHub as the job's token reaches it. Loads the code for it at first use. */
export async function openCodeHost(step: ActionStep, { githubToken }: Inputs): Promise<CodeHost> {
  const codeHost = await import("../github/code-host.ts");
  const { github, interrupts } = step;
  return codeHost.openCodeHost({
    ...githubAccess(step),
    token: githubToken,
    job: github.job,
    signal: interrupts.first,
  });
}
