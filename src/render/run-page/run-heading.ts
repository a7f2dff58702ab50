// The outcome of a run, in a few words: the heading of its page, the page's title and its icon. Pure.

import { assertNever } from "../../base/assert-never.ts";
import { type Run, stopReasons } from "../../contract/runs/run.ts";
import type { RunReport } from "../../report/run-report.ts";
import { type OutcomeFacts, outcomeTitle } from "../outcome-title.ts";
import { parkedTitle } from "../parked-titles.ts";

export type RunTone = "live" | "good" | "warn" | "bad";

type RunHeading = {
  readonly icon: string;
  /** Untrusted names may be in it. */
  readonly text: string;
  readonly tone: RunTone;
};

export function runHeading(run: Run, report: RunReport): RunHeading {
  switch (run.status) {
    case "queued":
      return { icon: "⏳", text: "Waiting for a worker", tone: "live" };
    case "running":
      return run.parked === undefined
        ? { icon: "▶️", text: "Running", tone: "live" }
        : { icon: "⏸️", text: parkedTitle(run.parked.reason), tone: "warn" };
    case "cancelling":
      return { icon: "⏹️", text: "Is being cancelled", tone: "live" };
    case "completed":
      return ofOutcome(report, stoppedFacts(run.stop_reason));
    case "failed":
      return ofOutcome(
        report,
        run.stop_reason === undefined
          ? { conclusion: "failure", reason: run.cause }
          : stoppedFacts(run.stop_reason),
      );
    case "cancelled":
      return ofOutcome(report, { conclusion: "cancelled", reason: run.cause });
    default:
      return assertNever(run);
  }
}

/** A service that is newer may know other reasons: whatever is not the end of a turn cut the run. */
function stoppedFacts(stopReason: string): OutcomeFacts {
  const known = stopReasons.find((one) => one === stopReason);
  if (known === "end_turn") return { conclusion: "success", reason: "completed" };
  if (known === "question") return { conclusion: "success", reason: "question" };
  if (known === "no_model") return { conclusion: "skipped", reason: "no_model" };
  if (known === "insufficient_credits") return { conclusion: "quota", reason: "credits_ended" };
  return { conclusion: "incomplete", reason: stopReason };
}

function ofOutcome(report: RunReport, facts: OutcomeFacts): RunHeading {
  const { icon, text } = outcomeTitle(report, facts);
  return { icon, text, tone: toneOf(facts.conclusion) };
}

function toneOf(conclusion: OutcomeFacts["conclusion"]): RunTone {
  if (conclusion === "success") return "good";
  return conclusion === "failure" ? "bad" : "warn";
}
