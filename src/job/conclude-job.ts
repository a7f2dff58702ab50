// The end of a job, in whichever phase it came: the run's results handed over, a verdict, and everybody told of it.

import { failsStep, type Verdict } from "../report/conclusion.ts";
import type { Delivery } from "../report/delivery.ts";
import { type PublishedFindings, reaches, type Severity } from "../report/findings.ts";
import { concludeOutcome, type Outcome } from "./conclusion.ts";
import type { Ending } from "./ending.ts";
import type { JobPort } from "./job-port.ts";
import type { HandedOver, JobTypes } from "./job-types.ts";
import { withoutClaim } from "./job-words.ts";
import type { Progress } from "./progress.ts";

type Reached<Own extends JobTypes> = { readonly progress: Progress<Own>; readonly outcome: Outcome };

/** What cannot be written is warned of, and changes no conclusion. */
export async function concludeJob<Own extends JobTypes>(
  job: JobPort<Own>,
  reached: Reached<Own>,
): Promise<Ending<Own>> {
  const { progress } = reached;
  if ("log" in progress) await attempt(job, { what: "events file", write: progress.log.end });
  const { verdict, ...handedOver } = await judge(job, reached);
  const ending: Ending<Own> = {
    ...reached,
    ...handedOver,
    verdict,
    fails: failsStep(verdict, "settings" in progress ? progress.settings.failOn : new Set()),
    claimUrl: verdict.claimUrl ?? offeredClaim(progress),
  };
  for (const publication of job.publications(ending)) await attempt(job, publication);
  job.sayEnding(ending);
  return ending;
}

async function judge<Own extends JobTypes>(
  job: JobPort<Own>,
  reached: Reached<Own>,
): Promise<HandedOver & { readonly verdict: Verdict }> {
  const { outcome } = reached;
  const conclude = (known: Outcome) => {
    const verdict = concludeOutcome(known, job.words);
    return job.claimObstacle === null ? verdict : withoutClaim(verdict, job.claimObstacle);
  };
  try {
    const handedOver = await handOver(job, reached);
    const delivered = withDelivery(conclude(outcome), handedOver.delivery);
    const threshold = "settings" in reached.progress ? reached.progress.settings.failOnSeverity : null;
    return { ...handedOver, verdict: withFindings(delivered, { findings: handedOver.findings, threshold }) };
  } catch (error) {
    // Nothing that was to be expected: a full disk, for one.
    return { ...NOTHING, verdict: conclude({ type: "error", error }) };
  }
}

const NOTHING: HandedOver = { delivery: null, findings: null };

async function handOver<Own extends JobTypes>(
  job: JobPort<Own>,
  { progress, outcome }: Reached<Own>,
): Promise<HandedOver> {
  const isCompleted = outcome.type === "ended" && outcome.run.status === "completed";
  return isCompleted && progress.phase === "following" ? await job.handOver(progress) : NOTHING;
}

/** A run whose changes did not arrive is no success: somebody waits for them. */
function withDelivery(verdict: Verdict, delivery: Delivery | null): Verdict {
  if (verdict.conclusion !== "success" || delivery?.type !== "kept") return verdict;
  const { reason, message } = delivery;
  return { ...verdict, conclusion: "failure", reason, message: `The run completed. ${message}` };
}

/** A review that is to gate: what it found fails the step, whether it was published now or before. */
function withFindings(
  verdict: Verdict,
  {
    findings,
    threshold,
  }: { readonly findings: PublishedFindings | null; readonly threshold: Severity | null },
): Verdict {
  if (verdict.conclusion !== "success" || findings === null || !reaches(findings.worst, threshold))
    return verdict;
  const message = `The review found ${aOrAn(findings.worst)}. "fail-on-severity: ${threshold}" makes that a failure.`;
  return { ...verdict, conclusion: "failure", reason: "findings_found", message };
}

function aOrAn(severity: Severity | null): string {
  return severity === "error" ? "an error" : `a ${severity}`;
}

/** What the run, or before it the exchange, offered. An agent inside the job is nobody's to claim. */
function offeredClaim(progress: Progress): string | null {
  if (!("grant" in progress) || progress.service.type === "embedded") return null;
  const quota = "log" in progress ? progress.log.report.quota : null;
  return quota?.claim_url ?? progress.grant.claim_url;
}

async function attempt<Own extends JobTypes>(
  job: JobPort<Own>,
  { what, write }: { what: string; write: () => Promise<void> },
): Promise<void> {
  try {
    await write();
  } catch (error) {
    job.warn(`The ${what} could not be written: ${error instanceof Error ? error.message : "unknown"}`);
  }
}
