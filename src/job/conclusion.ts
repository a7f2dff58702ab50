// From the end of a job's work to its verdict: one conclusion, one stable reason, one message that names the fix. Pure.

import { assertNever } from "../base/assert-never.ts";
import type { ApiError } from "../client/errors.ts";
import type { QuotaReason, Verdict } from "../report/conclusion.ts";
import { flagWords, inputWords, olderServiceText } from "../report/older-service.ts";
import { exchangeMessage } from "./exchange-advice.ts";
import type { Fault } from "./fault.ts";
import { concludeRun, type EndedRun, passedLimit, type Surroundings } from "./run-verdict.ts";
import { ownVerdict, verdict } from "./verdict.ts";
import type { PassedLimit } from "./watch-run.ts";

/** The end of the work. */
export type Outcome =
  | ({ readonly type: "ended" } & EndedRun)
  /** The run goes on without the job, as the settings say. `interrupted`: because the job was cancelled. */
  | { readonly type: "detached"; readonly runUrl: string | null; readonly interrupted: boolean }
  /** The job cancelled the run and did not see it end. */
  | { readonly type: "stopping"; readonly passed: PassedLimit }
  /** The task was to cancel runs: these were in flight and were cancelled. */
  | { readonly type: "cancelled_runs"; readonly runIds: readonly string[] }
  /** A command that needs no run, such as help: the message is the answer. */
  | { readonly type: "answered"; readonly reason: string; readonly message: string }
  /** The doctor examined the job. */
  | { readonly type: "examined"; readonly isSound: boolean; readonly message: string }
  /** The job was cancelled before it knew of a run. `submitting`: the submission was not answered yet. */
  | { readonly type: "interrupted"; readonly submitting: boolean }
  | { readonly type: "fault"; readonly fault: Fault };

/** The verdict on an outcome. */
export function concludeOutcome(outcome: Outcome, surroundings: Surroundings): Verdict {
  switch (outcome.type) {
    case "ended":
      return concludeRun(outcome, surroundings);
    case "detached": {
      const why = outcome.interrupted ? surroundings.words.interrupted : 'Not waiting, as "wait: false" asks';
      const where = outcome.runUrl === null ? "" : ` at ${outcome.runUrl}`;
      return ownVerdict("detached", "detached", `${why}: the run goes on${where}.`);
    }
    case "stopping":
      return outcome.passed === null
        ? ownVerdict(
            "cancelled",
            "user_stop",
            `${surroundings.words.interrupted}. The run was asked to stop.`,
          )
        : passedLimit(outcome.passed, { what: "It was asked to stop.", words: surroundings.words });
    case "cancelled_runs":
      return outcome.runIds.length === 0
        ? ownVerdict("success", "nothing_to_cancel", "No run is in flight here: nothing was cancelled.")
        : ownVerdict("success", "run_cancelled", `Cancelled: ${outcome.runIds.join(", ")}.`);
    case "examined":
      return outcome.isSound
        ? ownVerdict("success", "examined", outcome.message)
        : ownVerdict("failure", "faults_found", outcome.message);
    case "answered":
      return verdict("skipped", outcome.reason, outcome.message);
    case "interrupted":
      return ownVerdict("cancelled", "user_stop", interruptedText(outcome.submitting, surroundings));
    case "fault":
      return concludeFault(outcome.fault, surroundings);
    default:
      return assertNever(outcome);
  }
}

function interruptedText(submitting: boolean, { words, isEmbedded }: Surroundings): string {
  if (!submitting) return `${words.interrupted} before a run was started.`;
  const found = isEmbedded ? "" : " If it was started, a re-run of this job finds it.";
  return `${words.interrupted} while the run was being submitted.${found}`;
}

function concludeFault(fault: Fault, surroundings: Surroundings): Verdict {
  switch (fault.type) {
    case "no_identity": {
      const isExpected = fault.code === "fork_pull_request" || fault.code === "dependabot";
      return verdict(isExpected ? "skipped" : "failure", fault.code, fault.message);
    }
    case "refused":
      return concludeRefusal(fault.refusal, surroundings);
    case "unavailable":
      return ownVerdict(
        "failure",
        "service_unavailable",
        `The service is unavailable: ${fault.message} ${surroundings.words.retry}.`,
      );
    case "told":
      return verdict(fault.conclusion, fault.code, fault.message);
    case "unexpected":
      return ownVerdict("failure", "internal_error", `Unexpected error (${fault.detail}). Please report it.`);
    default:
      return assertNever(fault);
  }
}

function concludeRefusal(error: ApiError, { words, claimObstacle }: Surroundings): Verdict {
  const tail = ` (request ${error.requestId})`;
  if (error.status === 402) return concludeQuota(error, claimObstacle);
  const older = olderServiceText(error.fields, words.isAction ? inputWords : flagWords);
  if (older !== null) return verdict("failure", error.code, older + tail);
  if (error.status >= 500) {
    const message = `The service is unavailable: ${error.call ?? "it"} answered ${error.status}${tail}. ${words.retry}.`;
    return ownVerdict("failure", "service_unavailable", message);
  }
  if (error.reason !== undefined) {
    return verdict("failure", error.reason, exchangeMessage(error, words) + tail);
  }
  return verdict("failure", error.code, `The service refused (${error.code}): ${error.message}${tail}`);
}

function concludeQuota(error: ApiError, claimObstacle: string | null): Verdict {
  if (error.code === "day_cap_reached") return verdict("quota", "day_cap_reached", error.message);
  const isPrivate = error.reason === "repository_private" || error.code === "claim_required";
  const [why, advice] = isPrivate
    ? ["Free credits are for public repositories.", "Claim this repository's agent to run it here."]
    : ["The free credits of this repository's owner are used up.", "Claim its agent to go on."];
  const reason: QuotaReason = isPrivate ? "repository_private" : "credits_ended";
  return { ...verdict("quota", reason, `${why} ${claimObstacle ?? advice}`), claimUrl: error.claimUrl };
}
