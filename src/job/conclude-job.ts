// The end of a job, in whichever phase it came: the run's results handed over, a verdict, and everybody told of it.

import { singleLine } from "../base/untrusted-text.ts";
import { failedChecksNote } from "../report/check-notes.ts";
import { CHECKS_FAILED, failsStep, type Verdict } from "../report/conclusion.ts";
import type { Delivery } from "../report/delivery.ts";
import { isShut, type PublishedFindings, placeOf, reaches, type Severity } from "../report/findings.ts";
import { runWarnings } from "../report/run-warnings.ts";
import { concludeOutcome, type Outcome } from "./conclusion.ts";
import type { Ending } from "./ending.ts";
import { faultOf } from "./fault.ts";
import type { ConcludingPort, JobPort } from "./job-port.ts";
import type { HandedOver, JobTypes } from "./job-types.ts";
import type { Progress } from "./progress.ts";
import type { Resuming } from "./resume-advice.ts";
import type { Surroundings } from "./run-verdict.ts";

type Reached<Own extends JobTypes> = { readonly progress: Progress<Own>; readonly outcome: Outcome };

/** Writes the conclusion; a failed write is warned of, and changes no conclusion. */
export async function concludeJob<Own extends JobTypes>(
  job: JobPort<Own>,
  reached: Reached<Own>,
): Promise<Ending<Own>> {
  const { progress } = reached;
  if ("log" in progress) await attempt(job, { what: "events file", write: progress.log.end });
  const port = await job.conclude();
  const { verdict, ...handedOver } = await judge(job, { ...reached, port });
  const ending: Ending<Own> = {
    ...reached,
    ...handedOver,
    verdict,
    fails: failsStep(verdict, "settings" in progress ? progress.settings.failOn : new Set()),
    claimUrl: verdict.claimUrl ?? offeredClaim(progress),
  };
  for (const note of "log" in progress ? runWarnings(progress.log.report) : []) job.warn(note);
  for (const publication of port.publications(ending)) await attempt(job, publication);
  port.sayEnding(ending);
  return ending;
}

async function judge<Own extends JobTypes>(
  job: JobPort<Own>,
  reached: Reached<Own> & { readonly port: ConcludingPort<Own> },
): Promise<HandedOver & { readonly verdict: Verdict }> {
  const { outcome } = reached;
  const surroundings = surroundingsOf(job, reached.progress);
  const verdict = concludeOutcome(outcome, surroundings);
  try {
    const handedOver = await handOver(reached.port, { ...reached, verdict });
    const delivered = withDelivery(verdict, handedOver.delivery);
    const threshold = "settings" in reached.progress ? reached.progress.settings.failOnSeverity : null;
    const checked = withChecks(delivered, reached.progress);
    return { ...handedOver, verdict: withFindings(checked, { findings: handedOver.findings, threshold }) };
  } catch (error) {
    // Nothing that was to be expected: a full disk, for one.
    return { ...NOTHING, verdict: concludeOutcome({ type: "fault", fault: faultOf(error) }, surroundings) };
  }
}

function surroundingsOf<Own extends JobTypes>(
  { words, claimObstacle }: JobPort<Own>,
  progress: Progress<Own>,
): Surroundings {
  const service = "service" in progress ? progress.service : null;
  return {
    words,
    claimObstacle,
    claimUrl: offeredClaim(progress),
    resuming: resumingOf(progress),
    isEmbedded: service?.type === "embedded",
    modelAdvice: service?.type === "embedded" ? service.modelAdvice : null,
  };
}

function resumingOf(progress: Progress): Resuming {
  const plan = "plan" in progress ? progress.plan : null;
  const run = "run" in progress ? progress.run : null;
  const body = plan?.task.type === "run" ? plan.task.body : null;
  return {
    threadPhrase: plan?.threadPhrase ?? null,
    runId: run?.id ?? null,
    pageUrl: run === null || run.url === run.apiUrl ? null : run.url,
    maxCostUsd: body?.max_cost_usd ?? null,
    maxTurnTokens: body?.max_turn_tokens ?? null,
  };
}

const MAX_PLACE_CHARS = 160;
const NOTHING: HandedOver = { delivery: null, attestation: null, findings: null, outputs: null };

/** Of a run that was cut, or that waits for an answer, nothing is published: its work is not done. */
async function handOver<Own extends JobTypes>(
  port: ConcludingPort<Own>,
  { progress, outcome, verdict }: Reached<Own> & { readonly verdict: Verdict },
): Promise<HandedOver> {
  if (outcome.type !== "ended" || progress.phase !== "following") return NOTHING;
  const isHalfDone = verdict.conclusion === "incomplete" || verdict.reason === "question";
  if (verdict.conclusion === "success" && !isHalfDone) return await port.handOver(progress, outcome.run);
  return isHalfDone ? { ...NOTHING, delivery: port.withhold(progress) } : NOTHING;
}

/** A run whose changes did not arrive is no success: somebody waits for them. */
function withDelivery(verdict: Verdict, delivery: Delivery | null): Verdict {
  if (delivery?.type === "withheld") return { ...verdict, message: `${verdict.message} ${delivery.message}` };
  if (verdict.conclusion !== "success" || delivery?.type !== "kept") return verdict;
  const { reason, message } = delivery;
  return { ...verdict, conclusion: "failure", reason, message: `The run completed. ${message}` };
}

/** What the record says of the checks, whatever the reply says. */
function withChecks(verdict: Verdict, progress: Progress): Verdict {
  if (verdict.conclusion !== "success" || verdict.reason !== "completed") return verdict;
  if (!("settings" in progress) || !progress.settings.failOn.has(CHECKS_FAILED)) return verdict;
  const failed = "log" in progress ? failedChecksNote(progress.log.report) : null;
  if (failed === null) return verdict;
  const message = `${failed} "fail-on: ${CHECKS_FAILED}" makes that a failure.`;
  return { ...verdict, conclusion: "failure", reason: "checks_failed", message };
}

/** A review that is to gate: what it found fails the step, whether it was published now or before. */
function withFindings(
  verdict: Verdict,
  {
    findings,
    threshold,
  }: { readonly findings: PublishedFindings | null; readonly threshold: Severity | null },
): Verdict {
  if (verdict.conclusion !== "success" || findings === null || !isShut(findings, threshold)) return verdict;
  const gate = `"fail-on-severity: ${threshold}" makes that a failure.`;
  if (reaches(findings.worst, threshold)) {
    const message = `${foundText(findings, threshold)} ${gate}`;
    return { ...verdict, conclusion: "failure", reason: "findings_found", message };
  }
  const message = `${findings.unread ?? ""} ${gate} Re-run the job.`;
  return { ...verdict, conclusion: "failure", reason: "findings_unread", message };
}

/** The findings that keep the gate shut, and for those of earlier reviews, how it opens. */
function foundText({ worst, open }: PublishedFindings, threshold: Severity | null): string {
  const shutting = open.filter(({ severity }) => reaches(severity, threshold));
  const [first] = shutting;
  if (first === undefined) return `The review found ${aOrAn(worst)}.`;
  const more = shutting.length === 1 ? "" : ` and ${shutting.length - 1} more`;
  const place = singleLine(placeOf(first), MAX_PLACE_CHARS);
  return (
    `What an earlier review found is still open: ${aOrAn(first.severity)} at ${place}${more}. Change the lines, or let ` +
    "somebody with write access resolve the thread."
  );
}

function aOrAn(severity: Severity | null): string {
  return severity === "error" ? "an error" : `a ${severity}`;
}

/** The claim that the run offered, or before it the exchange. An agent inside the job is nobody's to claim. */
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
