// The end of a run whose work failed: each failure by its reason, which says whose fault it is.

import { assertNever } from "../../base/assert-never.ts";
import { GitError } from "../../base/git/git.ts";
import { type RunCause, type SpendingStop, spendingStops } from "../../contract/runs/run.ts";
import { ELSEWHERE } from "../core/blobs/own-blobs.ts";
import { CheckoutError, type CheckoutRefusal } from "../core/checkouts/checkout.ts";
import type { Core } from "../core/core.ts";
import type { FailureReason } from "../core/runs/failure.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import { cancelledEnding, interruptedEnding, type RunEnding } from "../core/runs/run-machine.ts";
import { sumOf, type Usage } from "../core/runs/usage.ts";
import { BackendFailure } from "./backend.ts";
import { StreamLimitError } from "./event-writer.ts";
import type { SecretMask } from "./secret-mask.ts";
import { RunStopped, type StopKind } from "./stop-reason.ts";

type FailureText = {
  readonly message: string;
  /** Default: the run could not begin. */
  readonly cause?: RunCause;
  /** Default: false. */
  readonly isRetryable?: boolean;
};

/** The ending of a run that failed for `reason`. */
export function failed(
  reason: FailureReason,
  { message, cause = "spawn_failed", isRetryable = false }: FailureText,
): Extract<RunEnding, { status: "failed" }> {
  return { status: "failed", cause, reason, message, retryable: isRetryable };
}

const refusalReasons: Readonly<Record<CheckoutRefusal["reason"], FailureReason>> = {
  commit_missing: "checkout_refused",
  clone_failed: "checkout_refused",
  clone_refused: "checkout_refused",
  clone_too_large: "checkout_refused",
  clone_timed_out: "checkout_refused",
  pull_request_moved: "checkout_refused",
  checkout_failed: "checkout_refused",
  service_fault: "misconfigured",
};

/** The ending of a run that got no checkout. */
export function endingOfRefusal({ reason, detail }: CheckoutRefusal): RunEnding {
  return failed(refusalReasons[reason], { message: detail, isRetryable: reason === "clone_timed_out" });
}

/**
 * A run that stopped at what it may spend, and has not called its model once, has done nothing: it failed.
 * Why: docs/decisions/129-a-run-without-a-first-call-has-failed.md
 */
export function failedUnlessCalled(ending: RunEnding, usage: Usage): RunEnding {
  if (ending.status !== "completed") return ending;
  const stop = spendingStops.find((one) => one === ending.stopReason);
  if (stop === undefined || sumOf(usage, "calls") > 0 || sumOf(usage, "tokens") > 0) return ending;
  // Its attempts have called theirs.
  if ((usage.budget?.countedTokens ?? 0) > 0) return ending;
  return { ...failed("unaffordable", { message: unaffordableText(stop) }), stopReason: stop };
}

function unaffordableText(stop: SpendingStop): string {
  switch (stop) {
    case "insufficient_credits":
      return "The credits that are left do not pay for one call of the model: none was made, and nothing is charged. Add credits, then ask again.";
    case "max_tokens":
      return "The run's limit of tokens (max_turn_tokens) does not suffice for one call of the model: none was made. Raise it, or leave it out.";
    case "max_cost":
      return "The run's limit of cost (max_cost_usd) does not pay for one call of the model: none was made. Raise it, or leave it out.";
    default:
      return assertNever(stop);
  }
}

/** The ending of a run whose work threw. What no code expects is logged. */
export async function endingOfError(
  { core, taken, secrets }: { readonly core: Core; readonly taken: TakenRun; readonly secrets: SecretMask },
  cause: unknown,
): Promise<RunEnding> {
  if (cause instanceof RunStopped) return endingOfStop(cause.kind);
  if (cause instanceof BackendFailure) {
    const { reason, isRetryable, chargedFor, providerFault } = cause;
    const message = secrets.apply(cause.message);
    return {
      ...failed(reason, { cause: "backend_error", message, isRetryable }),
      ...(chargedFor === null ? {} : { chargedFor }),
      ...(providerFault === null ? {} : { isProviderAway: true }),
    };
  }
  if (cause instanceof StreamLimitError) {
    const message = `${cause.message} Ask for less in one run.`;
    const ending = failed("stream_limit", { cause: "backend_error", message });
    return { ...ending, chargedFor: "answered" };
  }
  core.log.error({ run_id: taken.run.id, err: cause }, "backend failed");
  const lost = await blobFailureOf(core, cause);
  if (lost !== null) return lost;
  // Hostile files can make git fail.
  const isGits = cause instanceof GitError || cause instanceof CheckoutError;
  const message = "The agent's backend failed. Run it again.";
  return failed(isGits ? "git_failed" : "internal_error", {
    cause: "backend_error",
    message,
    isRetryable: true,
  });
}

/** The ending of a run whose contents could not be read. Null where the cause is another one. */
async function blobFailureOf(core: Core, cause: unknown): Promise<RunEnding | null> {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  if (code !== "blobs_unavailable" && code !== "contents_lost") return null;
  if ((await core.commits?.own.areSeen()) === false)
    return failed("storage_unavailable", { message: ELSEWHERE, isRetryable: true });
  if (code === "contents_lost") return failed("contents_lost", { message: LOST });
  return failed("storage_unavailable", { message: UNREADABLE, isRetryable: true });
}

const LOST =
  'The commit of this run, or a file of its workspace, is missing from the service\'s storage, or damaged there. Start a new job, which sends the commit again, or write the file again. The operator finds what is missing by "agent-service store verify".';
const UNREADABLE = "The service's storage of large files and commits cannot be read now. Run it again.";

function endingOfStop(kind: StopKind): RunEnding {
  switch (kind) {
    case "cancel":
      return cancelledEnding;
    case "time_limit":
      return failed("time_limit", {
        cause: "time_limit",
        message: "The run reached the time limit of this service. Ask for less in one run.",
      });
    case "handover":
    case "shutdown":
    case "lost":
    case "sandbox_lost":
      return interruptedEnding;
  }
}
