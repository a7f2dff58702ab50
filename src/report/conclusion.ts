// How a step ended: one conclusion, one stable reason, one message for people. Pure.

export type Conclusion = "success" | "failure" | "cancelled" | "skipped" | "quota" | "detached";

/** The conclusions that `fail-on` may name. */
export const failableConclusions = ["failure", "quota", "cancelled", "skipped", "detached"] as const;

export type Verdict = {
  readonly conclusion: Conclusion;
  /** One stable word, for programs. */
  readonly reason: string;
  /** What happened and what to do, for people. */
  readonly message: string;
  readonly claimUrl: string | null;
};

/** Whether a conclusion fails the step. Wrong inputs always do: `fail-on` is one of them. */
export function failsStep(verdict: Verdict, failOn: ReadonlySet<Conclusion>): boolean {
  return verdict.reason === "invalid_input" || failOn.has(verdict.conclusion);
}
