// The end of the main step, wherever it came to an end: files, outputs, summary, annotation, exit code.

import * as core from "@actions/core";
import type { Environment } from "../ci/provider.ts";
import { concludeOutcome, failsStep, type Outcome, type Verdict } from "./conclusion.ts";
import { writeOutputs } from "./outputs.ts";
import type { Progress } from "./progress.ts";
import { leaveState } from "./state.ts";

export type ConcludeOptions = {
  readonly env: Environment;
  readonly outcome: Outcome;
  readonly progress: Progress;
};

/** Says what came of the step. What cannot be written is warned of, and changes no conclusion. */
export async function conclude(options: ConcludeOptions): Promise<void> {
  const { outcome, progress } = options;
  const { inputs, log } = progress;
  const verdict = concludeOutcome(outcome);
  await attempt("events file", async () => log?.end());
  const granted = progress.embedded === null ? progress.grant?.claim_url : null;
  const claimUrl = verdict.claimUrl ?? log?.report.quota?.claim_url ?? granted ?? null;
  await attempt("outputs", () => writeOutputs({ ...options, verdict, claimUrl }));
  // A page for every comment that asks for nothing would bury those of the runs.
  if (inputs?.summary === true && verdict.reason !== "no_command") {
    await attempt("summary", async () => {
      const { appendSummary } = await import("./job-summary.ts");
      await appendSummary({ ...options, verdict, claimUrl });
    });
  }
  say(verdict, failsStep(verdict, inputs?.failOn ?? new Set()));
  // A run that was asked to stop and not seen to end is left to the post step, to ask again.
  if (outcome.type !== "stopping") leaveState({ phase: "concluded" });
}

function say({ conclusion, message, claimUrl }: Verdict, fails: boolean): void {
  const text = claimUrl === null ? message : `${message} ${claimUrl}`;
  if (fails) core.setFailed(text);
  else if (conclusion === "skipped" || conclusion === "detached") core.notice(text);
  // A success was said by the run's own last line.
  else if (conclusion !== "success") core.warning(text);
}

async function attempt(what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const detail = error instanceof Error ? error.message : "unknown";
    core.warning(`The ${what} could not be written: ${detail}`);
  }
}
