// The end of the step: the run's deliveries on GitHub, then outputs, summary, status comment and annotations.

import { appendFile } from "node:fs/promises";
import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import { endingTitle } from "../job/ending.ts";
import type { ConcludingPort, Publication } from "../job/job-port.ts";
import { jobSummary } from "../job/job-summary.ts";
import { titleLine } from "../render/outcome-title.ts";
import type { ActionEnding, ActionStep, ActionTypes } from "./action-types.ts";
import { concludeComment } from "./conclude-comment.ts";
import { fileLinks } from "./file-links.ts";
import { handOver, withhold } from "./hand-over.ts";
import { writeOutputs } from "./outputs.ts";
import { sayLine } from "./say-line.ts";
import { leaveState } from "./state.ts";

export function concludingPort(step: ActionStep): ConcludingPort<ActionTypes> {
  return {
    handOver: (following, run) => handOver(step, following, run),
    withhold,
    publications: (ending) => publications(step, ending),
    sayEnding,
  };
}

function publications(step: ActionStep, ending: ActionEnding): readonly Publication[] {
  let commentUrl: string | null = null;
  const comment = async () => {
    commentUrl = await concludeComment(step, ending);
  };
  const summary = async () => {
    const { GITHUB_STEP_SUMMARY: path, GITHUB_REPOSITORY = "", GITHUB_SHA = "" } = step.env;
    if (!path) return;
    await appendFile(
      path,
      jobSummary(ending, {
        repository: GITHUB_REPOSITORY,
        sha: GITHUB_SHA,
        commentUrl,
        links: fileLinks(step.env, ending),
      }),
    );
  };
  return [
    { what: "comment", write: comment },
    { what: "outputs", write: () => writeOutputs(ending, commentUrl) },
    ...(hasSummary(ending) ? [{ what: "summary", write: summary }] : []),
    // The last of all: it says where the others are.
    { what: "report to the service", write: () => report(step, ending, commentUrl) },
  ];
}

async function report(step: ActionStep, ending: ActionEnding, commentUrl: string | null): Promise<void> {
  const { progress, outcome } = ending;
  if (outcome.type !== "ended" || progress.phase !== "following") return;
  const { inputs } = progress.settings;
  const subject = progress.plan.request?.subject ?? null;
  const reviewed = inputs.findings === "review" && subject?.isPullRequest === true ? subject.number : null;
  const { reportDelivery } = await import("../job/report-delivery.ts");
  const time = { clock: systemClock, signal: step.interrupts.last };
  await reportDelivery(time, ending, { commentUrl, reviewed });
}

/** A comment without a command gets no summary, and the doctor writes its own. */
function hasSummary({ progress, outcome, verdict }: ActionEnding): boolean {
  const isWanted = "settings" in progress && progress.settings.inputs.summary;
  return isWanted && verdict.reason !== "no_command" && outcome.type !== "examined";
}

function sayEnding(ending: ActionEnding): void {
  const { verdict, claimUrl, fails, outcome } = ending;
  const { conclusion, message } = verdict;
  const title = endingTitle(ending);
  const text = claimUrl === null ? message : `${message} ${claimUrl}`;
  const properties = { title: title.text };
  sayLine(titleLine(title));
  if (fails) {
    process.exitCode = core.ExitCode.Failure;
    core.error(text, properties);
  } else if (conclusion === "skipped" || conclusion === "detached") core.notice(text, properties);
  else if (conclusion !== "success") core.warning(text, properties);
  // A run's log and the doctor's page say so themselves.
  else if (outcome.type === "cancelled_runs" || verdict.reason === "question") sayLine(text);
  // A run that was cancelled and not seen to end is left to the post step, which cancels it again.
  if (outcome.type !== "stopping") leaveState({ phase: "concluded" });
}
