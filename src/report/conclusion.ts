// The conclusion of a step: one conclusion, one stable reason, one message for people. Pure.

/** The conclusions that `fail-on` may name. */
export const failableConclusions = [
  "failure",
  "quota",
  "incomplete",
  "cancelled",
  "skipped",
  "detached",
] as const;

/** Beside conclusions: a run that completed, and whose checks fail since its last edit. */
export const CHECKS_FAILED = "checks-failed";
export const failOnWords = [...failableConclusions, CHECKS_FAILED] as const;
export type FailOnWord = (typeof failOnWords)[number];
export type FailOn = ReadonlySet<FailOnWord>;

/** "incomplete": the run was cut at a bound, before its work was done. */
export type Conclusion = "success" | (typeof failableConclusions)[number];

/** Reasons that the job itself gives. Others come with an error, from the run or from the service. */
export type JobReason =
  | "completed"
  | "question"
  | "no_model"
  | "run_cancelled"
  | "nothing_to_cancel"
  | "examined"
  | "faults_found"
  | "findings_found"
  | "findings_unread"
  | "checks_failed"
  | "timeout"
  | "idle_timeout"
  | "detached"
  | "user_stop"
  | "service_unavailable"
  | "internal_error";

/** Why a run cannot be paid for. */
export type QuotaReason = "credits_ended" | "repository_private" | "day_cap_reached";

export type Verdict = {
  readonly conclusion: Conclusion;
  /** One stable word, for programs: docs/conclusions.md has them all. */
  readonly reason: string;
  /** The event and the fix, for people. */
  readonly message: string;
  readonly claimUrl: string | null;
};

/** Whether the conclusion fails the step. Wrong inputs always do: `fail-on` may be among them. */
export function failsStep({ reason, conclusion }: Verdict, failOn: FailOn): boolean {
  if (reason === "invalid_input") return true;
  if (reason === "checks_failed") return failOn.has(CHECKS_FAILED);
  return conclusion !== "success" && failOn.has(conclusion);
}
