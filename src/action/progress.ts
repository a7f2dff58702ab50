// What the main step knows so far: filled in as the recipe goes, read when it ends, wherever that is.

import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import type { StatusComment } from "../github/status-comment/status-comment.ts";
import type { AgentRequest } from "../github/trigger/agent-request.ts";
import type { Delivery } from "../report/delivery.ts";
import type { PublishedFindings } from "../report/findings.ts";
import type { EmbeddedService } from "./embedded-service.ts";
import type { FollowLog } from "./follow-log.ts";
import type { Inputs } from "./inputs.ts";
import type { JobFiles } from "./job-files.ts";

export type Progress = {
  inputs: Inputs | null;
  request: AgentRequest | null;
  /** Null where there is nobody to answer, or nothing to be said. */
  statusComment: StatusComment | null;
  /** The service inside this job; null where it is another one, or has not started. */
  embedded: EmbeddedService | null;
  grant: ExchangeResponse | null;
  isSubmitting: boolean;
  /** The URL is null where nobody can follow it: the service ends with the step. */
  run: { readonly id: string; readonly url: string | null; readonly sessionId: string } | null;
  files: JobFiles | null;
  log: FollowLog | null;
  findings: PublishedFindings | null;
  /** What became of the changes; null where nobody was to deliver them. */
  delivery: Delivery | null;
  commentUrl: string | null;
};

/** Without a run the grant's number still holds; after one, only the run's own does. */
export function creditsLeft({ grant, run, log }: Progress): number | null {
  const granted = run === null ? grant?.quota.credits_remaining : null;
  return log?.report.quota?.credits_remaining ?? granted ?? null;
}
