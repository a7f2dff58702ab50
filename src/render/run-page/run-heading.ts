// The outcome of a run, in a few words: the heading of its page, the page's title and its icon. Pure.

import { assertNever } from "../../base/assert-never.ts";
import { singleLine } from "../../base/untrusted-text.ts";
import { type Run, stopReasons } from "../../contract/runs/run.ts";
import { type Conclusion, failableConclusions } from "../../report/conclusion.ts";
import { maskSecrets } from "../../report/find-secrets.ts";
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
      return delivered(run, { report, facts: stoppedFacts(run.stop_reason) });
    case "failed":
      return delivered(run, {
        report,
        facts:
          run.stop_reason === undefined
            ? { conclusion: "failure", reason: run.cause }
            : stoppedFacts(run.stop_reason),
      });
    case "cancelled":
      return delivered(run, { report, facts: { conclusion: "cancelled", reason: run.cause } });
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

/** The outcome as the job reports it, once it has. */
function delivered(
  { delivery }: Run,
  { report, facts }: { readonly report: RunReport; readonly facts: OutcomeFacts },
): RunHeading {
  const own = ofOutcome(report, facts);
  if (delivery?.state === "reported") {
    const conclusion = knownConclusions.find((one) => one === delivery.conclusion) ?? facts.conclusion;
    const text = singleLine(maskSecrets(delivery.title), MAX_TITLE_CHARS);
    const isAgreed = conclusion === facts.conclusion;
    return isAgreed ? { ...own, text } : { icon: deliveredIcons[conclusion], text, tone: toneOf(conclusion) };
  }
  const isPushing =
    delivery !== undefined && facts.reason === "completed" && (report.changes?.files.length ?? 0) > 0;
  return isPushing ? { ...own, text: `${own.text}, being pushed` } : own;
}

const MAX_TITLE_CHARS = 300;
const knownConclusions = ["success", ...failableConclusions] as const;
const deliveredIcons: Readonly<Record<Conclusion, string>> = {
  success: "✅",
  failure: "❌",
  quota: "💳",
  incomplete: "⚠️",
  cancelled: "🛑",
  skipped: "⏭️",
  detached: "↗️",
};

function ofOutcome(report: RunReport, facts: OutcomeFacts): RunHeading {
  const { icon, text } = outcomeTitle(report, facts);
  return { icon, text, tone: toneOf(facts.conclusion) };
}

function toneOf(conclusion: OutcomeFacts["conclusion"]): RunTone {
  if (conclusion === "success") return "good";
  return conclusion === "failure" ? "bad" : "warn";
}
