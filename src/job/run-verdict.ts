// The verdict on a run that ended, or that was cut by the job's own limits: the event and the fix. Pure.

import { assertNever } from "../base/assert-never.ts";
import { type Parked, type Run, type RunBound, stopReasons } from "../contract/runs/run.ts";
import type { Verdict } from "../report/conclusion.ts";
import type { JobWords } from "./job-words.ts";
import { type Resuming, wayToResume } from "./resume-advice.ts";
import { ownVerdict, verdict } from "./verdict.ts";
import { type PassedLimit, passedText } from "./watch-run.ts";

/** The surroundings that the messages depend on. */
export type Surroundings = {
  readonly words: JobWords;
  /** The service lives in this process: no run outlives it. */
  readonly isEmbedded: boolean;
  /** The advice to configure a model for this job's users; null where that is up to the service's operator. */
  readonly modelAdvice: string | null;
  /** The address to claim the repository's agent at; null where nobody can, or need. */
  readonly claimUrl: string | null;
  /** Why nobody can claim this repository's agent; null where somebody can. */
  readonly claimObstacle: string | null;
  /** How people continue the run, where it is parked. */
  readonly resuming: Resuming;
};

export type EndedRun = {
  readonly run: Run;
  /** The limit at which this job cancelled it. */
  readonly passed: PassedLimit;
  /** The run's own error message. */
  readonly detail: string | null;
};

export function concludeRun({ run, passed, detail }: EndedRun, surroundings: Surroundings): Verdict {
  switch (run.status) {
    case "completed":
      return concludeStop(run.stop_reason, surroundings);
    case "failed": {
      const said = `${(detail ?? "").replace(/(?<![\s.])[\s.]+$/, "")}.`;
      // The run itself says what is kept of its work.
      if (run.stop_reason === "poison" && said !== ".") return verdict("incomplete", run.stop_reason, said);
      if (run.stop_reason !== undefined) return concludeStop(run.stop_reason, surroundings);
      if (run.cause === "time_limit") {
        const message = said === "." ? "The run reached the time limit of the service." : said;
        return verdict("incomplete", run.cause, message);
      }
      const named = surroundings.isEmbedded ? surroundings.words.withSettingNames(said) : said;
      const why = said === "." ? said : `: ${named}`;
      const retry = run.retryable ? ` ${surroundings.words.retry}.` : "";
      return verdict("failure", run.cause, `The run failed (${run.cause})${why}${retry}`);
    }
    case "cancelled":
      return passed === null
        ? verdict("cancelled", run.cause, `The run was cancelled (${run.cause}).`)
        : passedLimit(passed, { what: "It was cancelled.", words: surroundings.words });
    case "running":
      if (run.parked !== undefined) return concludeParked(run.parked, surroundings);
      return notEnded(run.status);
    case "queued":
    case "cancelling":
      return notEnded(run.status);
    default:
      return assertNever(run);
  }
}

function notEnded(status: Run["status"]): Verdict {
  return ownVerdict("failure", "internal_error", `The run is ${status}, though it was said to have ended.`);
}

/** As if it had ended for what it waits for: only the advice is another. */
function concludeParked(parked: Parked, surroundings: Surroundings): Verdict {
  const ended = concludeStop(parked.reason, surroundings);
  const bound = parkedTexts.get(parked.reason) ?? `The run stopped before it was done (${parked.reason}).`;
  const credits = parked.reason === "credits" ? ` ${creditsAdvice(surroundings)}` : "";
  return { ...ended, message: `${bound}${credits} ${wayToResume(parked, surroundings.resuming)}` };
}

/** A newer service may park runs for other reasons. */
const parkedTexts: ReadonlyMap<string, string> = new Map([
  ["question", "The run waits for an answer to its question."],
  ["max_tokens", "The run reached its limit of tokens."],
  ["max_cost", "The run reached its limit of cost."],
  ["max_turns", "The run reached its limit of turns."],
  ["time_limit", "The run's time was nearly over."],
  ["credits", "The credits ended before the run was done. What it used is charged."],
  [
    "day_cap",
    "The run used what the owner's cap a day (UTC) left for it, and needs more: it goes on once there is some.",
  ],
  ["provider_unavailable", "The model's provider did not answer for longer than the run tries again."],
]);

/** A limit of the job: the run was told to stop. */
export function passedLimit(
  limit: NonNullable<PassedLimit>,
  { what, words }: { readonly what: string; readonly words: JobWords },
): Verdict {
  const passed = `${passedText(limit, words)}. ${what} Raise the limit`;
  return limit === "time"
    ? ownVerdict("incomplete", "timeout", `${passed} or ask for less.`)
    : ownVerdict("incomplete", "idle_timeout", `${passed}, or look at what its last event waits for.`);
}

const QUESTION_TEXT =
  "The run ended with a question. Answer it where you asked, with the trigger phrase: its session goes on from there.";

/** A service that is newer than this job may know other reasons: whatever is not `end_turn` was cut. */
function concludeStop(reason: string, surroundings: Surroundings): Verdict {
  const known = stopReasons.find((stop) => stop === reason);
  if (known === undefined) {
    return verdict("incomplete", reason, `The run stopped before it was done (${reason}).`);
  }
  switch (known) {
    case "end_turn":
      return ownVerdict("success", "completed", "The run completed.");
    case "question":
      return ownVerdict("success", "question", QUESTION_TEXT);
    case "no_model":
      return ownVerdict("skipped", "no_model", noModelText(surroundings));
    case "insufficient_credits": {
      const message = `The credits that are left do not pay for a first answer of the model: nothing was executed, and nothing is charged. ${creditsAdvice(surroundings)}`;
      return { ...verdict("quota", "credits_ended", message), claimUrl: surroundings.claimUrl };
    }
    default:
      return verdict("incomplete", known, cutText(known, surroundings));
  }
}

function cutText(bound: RunBound, surroundings: Surroundings): string {
  switch (bound) {
    case "max_tokens":
      return `The run reached its limit of tokens. Raise ${surroundings.words.setting("max-turn-tokens")}, or ask for less in one run.`;
    case "max_cost":
      return `The run reached its limit of cost. Raise ${surroundings.words.setting("max-cost")}, or ask for less in one run.`;
    case "time_limit":
      return `The run's time was nearly over, so that it finished early. Raise ${surroundings.words.setting("timeout-minutes")} (a run has 60 minutes at most), or ask for less in one run.`;
    case "max_turns":
      return `The run reached its limit of turns. ${raise("MAX_TURNS", surroundings)}, or ask for less in one run.`;
    case "length":
      return `An answer of the model reached its limit of length. ${raise("MODEL_MAX_OUTPUT_TOKENS", surroundings)}, or ask for less at once.`;
    case "content_filter":
      return "The model refused to go on, or its maker's content filter stopped it. Ask in other words, or use another model.";
    case "empty_answer":
      return "The model ended its work without an answer, although it was asked for one again. Look at what it changed, and run it again.";
    case "repeated_calls":
      return "The agent made the same call again and again, and was stopped. Ask in other words, or use another model.";
    case "poison":
      return "The run ended after five lost workers in a row. Tell the service's operator.";
    case "credits":
      return `The credits ended before the run was done. What it used is charged. ${creditsAdvice(surroundings)}`;
    default:
      return assertNever(bound);
  }
}

function raise(setting: string, { modelAdvice }: Surroundings): string {
  return modelAdvice === null
    ? `The service's operator can raise it (${setting})`
    : `Raise it by the environment variable ${setting}`;
}

function noModelText({ modelAdvice }: Surroundings): string {
  const what = "No model is configured, so the agent only wrote a briefing of the repository.";
  const advice = "The service's operator sets MODEL and MODEL_BASE_URL with BACKEND=model, or BACKEND=acp.";
  return `${what} ${modelAdvice ?? `Nothing is charged. ${advice}`}`;
}

function creditsAdvice({ claimUrl, claimObstacle }: Surroundings): string {
  if (claimObstacle !== null) return claimObstacle;
  return claimUrl === null
    ? "Add credits to its account."
    : "Claim this repository's agent, for credits of its own.";
}
