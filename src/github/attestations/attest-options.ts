// The options of an attestation: the commit, what is known of its run, and the job's access. Types only.

import type { RetryNotice } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import type { Transport } from "../../client/transport.ts";
import type { EgressEntries } from "../../contract/egress.ts";
import type { Run } from "../../contract/runs/run.ts";
import type { PushedCommit } from "../../job/changes/pushed-commit.ts";
import type { RunReport } from "../../report/run-report.ts";
import type { GitHubApi } from "../api/github-api.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";

export type AttestOptions = {
  readonly commit: PushedCommit;
  /** The prompt as the job sent it; null where another job did. */
  readonly prompt: string | null;
  readonly subject: RequestSubject | null;
  readonly run: {
    readonly id: string;
    readonly sessionId: string;
    /** Null: it ran inside the job. */
    readonly serviceUrl: string | null;
  };
  readonly ended: Run;
  readonly report: RunReport;
  readonly agent: { readonly name: string | null; readonly id: string | null };
  readonly egress: EgressEntries | null;
  readonly mcpServers: readonly string[];
  /** The whole file of events. */
  readonly eventsPath: string;
  readonly mintIdToken: (audience: string, signal?: AbortSignal) => Promise<string>;
  /** Masks a value in the job's log. */
  readonly setSecret: (secret: string) => void;
  readonly job: CiJob;
  readonly env: Environment;
  readonly api: GitHubApi;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};
