// The job summary, from the ending of the job. Pure.

import type { FileLinks } from "../render/blob-url.ts";
import { DEFAULT_SUMMARY_BYTES, renderSummary } from "../render/summary.ts";
import { type Ending, runFacts } from "./ending.ts";

type SummaryPlace = {
  readonly repository: string;
  /** The job's commit. */
  readonly sha: string;
  readonly commentUrl?: string | null;
  readonly links?: FileLinks;
  readonly maxBytes?: number;
};

/** Markdown that ends with a newline. */
export function jobSummary(ending: Ending, place: SummaryPlace): string {
  const { verdict, claimUrl, delivery, attestation, findings, outputs } = ending;
  const { agentId, run, report, creditsCharged, creditsRemaining, tokens, budget, models, unseen } =
    runFacts(ending);
  return renderSummary(report, {
    conclusion: verdict.conclusion,
    reason: verdict.reason,
    message: verdict.conclusion === "success" && verdict.reason !== "question" ? undefined : verdict.message,
    unseen: unseen ?? undefined,
    agentId: agentId ?? undefined,
    runId: run?.id,
    runUrl: run?.url ?? undefined,
    sessionId: run?.sessionId,
    creditsCharged,
    creditsRemaining,
    tokens,
    budget,
    models,
    claimUrl,
    delivery,
    attestation,
    findings,
    outputs,
    maxBytes: DEFAULT_SUMMARY_BYTES,
    ...place,
  });
}
