// The job summary: rendered by render/summary.ts, added to the file that the runner gives the step.

import { appendFile } from "node:fs/promises";
import { DEFAULT_SUMMARY_BYTES, renderSummary } from "../render/summary.ts";
import { emptyReport } from "../report/run-report.ts";
import type { Ending } from "./conclude.ts";
import { NO_MODEL_TEXT } from "./embedded-service.ts";
import { creditsLeft } from "./progress.ts";

/** Does nothing where the runner takes no summary. */
export async function appendSummary(options: Ending): Promise<void> {
  const path = options.env.GITHUB_STEP_SUMMARY;
  if (!path) return;
  await appendFile(path, summaryText(options));
}

function summaryText(options: Ending): string {
  const { env, outcome, progress, verdict, claimUrl } = options;
  const { embedded, grant, run, log } = progress;
  const ended = outcome.type === "ended" ? outcome.run : null;
  const report = log?.report ?? emptyReport();
  return renderSummary(report, {
    conclusion: verdict.conclusion,
    reason: verdict.reason,
    message: verdict.conclusion === "success" ? undefined : verdict.message,
    repository: env.GITHUB_REPOSITORY ?? "",
    sha: env.GITHUB_SHA ?? "",
    agentId: grant?.agent_id,
    runId: run?.id,
    runUrl: run?.url ?? undefined,
    sessionId: run?.sessionId,
    note: embedded?.hasModel === false ? NO_MODEL_TEXT : undefined,
    // Inside the job nobody is charged.
    creditsCharged: embedded === null ? (ended?.credits ?? null) : null,
    creditsRemaining: embedded === null ? creditsLeft(progress) : null,
    tokens: ended?.tokens ?? null,
    claimUrl,
    delivery: progress.delivery,
    findings: progress.findings,
    commentUrl: progress.commentUrl,
    maxBytes: DEFAULT_SUMMARY_BYTES,
  });
}
