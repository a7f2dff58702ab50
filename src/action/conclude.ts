// The end of the main step, wherever it came to an end: files, outputs, summary, annotation, exit code.

import * as core from "@actions/core";
import type { Environment } from "../ci/provider.ts";
import type { Transport } from "../client/transport.ts";
import { concludeOutcome, type Outcome } from "../job/conclusion.ts";
import { failsStep, type Verdict } from "../report/conclusion.ts";
import { handOver, withDelivery } from "./hand-over.ts";
import { writeOutputs } from "./outputs.ts";
import { creditsLeft, type Progress } from "./progress.ts";
import { sayLine } from "./say-line.ts";
import { leaveState } from "./state.ts";

export type ConcludeOptions = {
  readonly env: Environment;
  readonly outcome: Outcome;
  readonly progress: Progress;
  readonly transport: Transport;
  /** Aborts when the job is cancelled. */
  readonly signal: AbortSignal;
};

/** Says what came of the step. What cannot be written is warned of, and changes no conclusion. */
export async function conclude(options: ConcludeOptions): Promise<void> {
  const { outcome, progress } = options;
  const { inputs, log } = progress;
  await attempt("events file", async () => log?.end());
  const verdict = await handOver(options).then(
    () => withDelivery(concludeOutcome(outcome), progress.delivery),
    // Nothing that anybody could know of before: a full disk, for one.
    (error: unknown) => concludeOutcome({ type: "error", error }),
  );
  const granted = progress.embedded === null ? progress.grant?.claim_url : null;
  const claimUrl = verdict.claimUrl ?? log?.report.quota?.claim_url ?? granted ?? null;
  const ending: Ending = { ...options, verdict, claimUrl };
  await attempt("comment", () => sayLastWord(ending));
  await attempt("outputs", () => writeOutputs(ending));
  // A page for every comment that asks for nothing would bury those of the runs.
  if (inputs?.summary === true && verdict.reason !== "no_command" && outcome.type !== "examined") {
    await attempt("summary", async () => {
      const { appendSummary } = await import("./job-summary.ts");
      await appendSummary(ending);
    });
  }
  say(verdict, { outcome, fails: failsStep(verdict, inputs?.failOn ?? new Set()) });
  // A run that was asked to stop and not seen to end is left to the post step, to ask again.
  if (outcome.type !== "stopping") leaveState({ phase: "concluded" });
}

/** How the step ended, for all that tell of it. */
export type Ending = ConcludeOptions & { readonly verdict: Verdict; readonly claimUrl: string | null };

async function sayLastWord({ outcome, progress, verdict, claimUrl, signal }: Ending): Promise<void> {
  const { statusComment, embedded, log, delivery, findings } = progress;
  if (statusComment === null || (isUneventful(verdict, progress) && !isAsked(progress))) return;
  const ended = outcome.type === "ended" ? outcome.run : null;
  const { conclusion, reason, message } = verdict;
  const hasNoModel = embedded?.hasModel === false;
  progress.commentUrl = await statusComment.conclude({
    conclusion,
    reason,
    message: outcome.type === "ended" && conclusion === "success" ? undefined : message,
    note: hasNoModel ? (await import("./embedded-service.ts")).NO_MODEL_TEXT : undefined,
    report: log?.report ?? null,
    delivery,
    findings,
    // Inside the job nobody is charged.
    creditsCharged: embedded === null ? (ended?.credits ?? null) : null,
    creditsRemaining: embedded === null ? creditsLeft(progress) : null,
    tokens: ended?.tokens ?? null,
    claimUrl,
    hurry: signal,
  });
}

/** Nothing ran, and nothing is wrong. */
function isUneventful({ conclusion }: Verdict, { run }: Progress): boolean {
  return run === null && (conclusion === "skipped" || conclusion === "success");
}

/** In somebody's words. Nobody else wants to be told of what did not happen. */
function isAsked({ request }: Progress): boolean {
  return (request?.subject?.command ?? null) !== null;
}

function say(
  { conclusion, message, claimUrl }: Verdict,
  { outcome, fails }: { outcome: Outcome; fails: boolean },
): void {
  const text = claimUrl === null ? message : `${message} ${claimUrl}`;
  if (fails) core.setFailed(text);
  else if (conclusion === "skipped" || conclusion === "detached") core.notice(text);
  else if (conclusion !== "success") core.warning(text);
  // A run's success was said by its own last line, and that of an examination by its page.
  else if (outcome.type === "cancelled_runs") sayLine(text);
}

async function attempt(what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const detail = error instanceof Error ? error.message : "unknown";
    core.warning(`The ${what} could not be written: ${detail}`);
  }
}
