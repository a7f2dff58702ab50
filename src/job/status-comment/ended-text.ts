// Text of the status comment about an ending, on every code host. Pure.

import { type Ending, runFacts } from "../ending.ts";
import type { StatusEnd } from "./status-comment.ts";

/** Without the links to files, which are the code host's. */
export function endedText(ending: Ending): Omit<StatusEnd, "links" | "hurry"> {
  const { outcome, verdict, claimUrl, delivery, findings } = ending;
  const { conclusion, reason, message } = verdict;
  const { report, creditsCharged, creditsRemaining, tokens, budget, models, unseen } = runFacts(ending);
  // The reply of a run that went well says it all.
  const saysAll = outcome.type === "ended" && conclusion === "success" && reason !== "question";
  return {
    conclusion,
    reason,
    message: saysAll ? undefined : message,
    unseen: unseen ?? undefined,
    report,
    delivery,
    findings,
    creditsCharged,
    creditsRemaining,
    tokens,
    budget,
    models,
    claimUrl,
  };
}
