// The next state of a run that its worker is done with: it has ended, another worker goes on with it, or it waits for somebody.

import { parkedAgainFor, parkedFor } from "../core/runs/park-run.ts";
import type { RunEnding } from "../core/runs/run-machine.ts";
import type { ParkedFor, RunInput } from "../core/runs/run-record.ts";
import type { Usage } from "../core/runs/usage.ts";
import type { RunJournal } from "./run-journal.ts";

export type RunLeaving =
  | { readonly as: "ended" }
  | { readonly as: "given_back" }
  | { readonly as: "parked"; readonly waitsFor: ParkedFor };

export const asEnded: RunLeaving = { as: "ended" };

/** Where it is not to end, it may still: cancelled meanwhile, or without a journal that could be kept. */
export function leavingOf(
  ending: RunEnding,
  {
    journal,
    input,
    usage,
  }: {
    /** Null where none is kept. */
    readonly journal: Pick<RunJournal, "isKept" | "isComplete"> | null;
    readonly input: RunInput;
    readonly usage: Usage;
  },
): RunLeaving {
  if (journal?.isKept !== true) return asEnded;
  if (isInterrupted(ending)) return { as: "given_back" };
  const waitsFor =
    (journal.isComplete ? parkedFor(ending, input) : null) ?? parkedAgainFor(ending, input, usage);
  return waitsFor === null ? asEnded : { as: "parked", waitsFor };
}

/** Its worker stops, and the run could go on. */
function isInterrupted(ending: RunEnding): boolean {
  return ending.status === "failed" && ending.reason === "interrupted";
}
