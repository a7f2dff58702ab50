// Makes verdicts. Pure.

import type { Conclusion, JobReason, Verdict } from "../report/conclusion.ts";

/** A verdict by a reason of the job's own. */
export function ownVerdict(conclusion: Conclusion, reason: JobReason, message: string): Verdict {
  return verdict(conclusion, reason, message);
}

/** A verdict by the reason that somebody else gave. */
export function verdict(conclusion: Conclusion, reason: string, message: string): Verdict {
  return { conclusion, reason, message, claimUrl: null };
}
