// Attempts of a run that can be chosen, by the checks that the service executed on the changes of each. Pure.
// Why: docs/decisions/151-best-of-n.md

import type { Attempt, AttemptOutcome } from "../../../contract/runs/attempts.ts";
import type { ChecksEvent } from "../../../contract/runs/checks.ts";
import type { AttemptWork } from "../../core/runs/read-attempt.ts";
import type { RunRecord } from "../../core/runs/run-record.ts";

/** One that is begun, or is to be. `model` null: the agent's. */
export type PlannedAttempt = {
  readonly number: number;
  readonly runId: string;
  readonly model: string | null;
};

/** What is known of it at last. */
export type AttemptResult = PlannedAttempt &
  (
    | { readonly state: "running" }
    | { readonly state: "not_started"; readonly why: string }
    /** It was cancelled, has failed, or its changes do not apply. */
    | {
        readonly state: "out";
        readonly outcome: "too_late" | "failed";
        readonly why: string;
        readonly run: RunRecord | null;
      }
    | {
        readonly state: "competes";
        readonly run: RunRecord;
        readonly work: AttemptWork;
        /** As the service executed them. */
        readonly checks: ChecksEvent["value"];
        readonly claimsPassed: boolean;
      }
  );

export type Competing = Extract<AttemptResult, { state: "competes" }>;

const MICRO_PER_USD = 1_000_000;
const MAX_DETAIL_CHARS = 500;

function isLiar({ checks, claimsPassed }: Competing): boolean {
  return claimsPassed && checks.state === "failed";
}

/**
 * Those that pass. Where none does, those whose checks nobody could execute, and those that fail and do not say that they pass; where all
 * say so, all of them.
 */
export function candidatesOf(results: readonly AttemptResult[]): readonly Competing[] {
  const competing = results.filter((one): one is Competing => one.state === "competes");
  const passing = competing.filter(({ checks }) => checks.state === "passed");
  if (passing.length > 0) return passing;
  const honest = competing.filter((one) => !isLiar(one));
  return honest.length > 0 ? honest : competing;
}

export type Chosen = {
  readonly number: number;
  readonly outcome: Extract<
    AttemptOutcome,
    "only_one_left" | "chosen_by_judge" | "same_changes" | "fewest_changes"
  >;
};

/** The choice that needs no judge. Null: there is more than one to choose from. */
export function choiceWithoutJudge(candidates: readonly Competing[]): Chosen | null {
  const [first] = candidates;
  if (first === undefined) return null;
  if (candidates.length === 1) return { number: first.number, outcome: "only_one_left" };
  const isSame = candidates.every((one) => patchOf(one) === patchOf(first));
  return isSame ? { number: first.number, outcome: "same_changes" } : null;
}

/** Where the judge gives no answer: the fewest changed lines, then the lowest number. */
export function fewestChanges(candidates: readonly Competing[]): Chosen | null {
  const [first] = candidates.toSorted((a, b) => linesOf(a) - linesOf(b) || a.number - b.number);
  return first === undefined ? null : { number: first.number, outcome: "fewest_changes" };
}

export function patchOf({ work }: Pick<Competing, "work">): string {
  return work.changes?.patch ?? "";
}

function linesOf({ work }: Competing): number {
  return (work.changes?.files ?? []).reduce((sum, file) => sum + file.additions + file.deletions, 0);
}

/** An attempt as the run's readers see it. `chosen` null: nothing is chosen yet. */
export function shownAttempt(result: AttemptResult, chosen: Chosen | null): Attempt {
  const { number, runId, model } = result;
  const run = "run" in result ? result.run : null;
  const competing = result.state === "competes" ? result : null;
  const isChosen = chosen?.number === number;
  return {
    number,
    run_id: runId,
    model,
    state: stateOf(result),
    files: competing === null ? null : (competing.work.changes?.files.length ?? 0),
    checks: competing === null ? null : { state: competing.checks.state, results: competing.checks.results },
    claims_passed: competing?.claimsPassed === true,
    cost_usd: costUsdOf(run),
    seconds: secondsOf(run),
    is_chosen: isChosen,
    outcome: isChosen ? chosen.outcome : outcomeOf(result, chosen !== null),
    ...("why" in result && result.why !== "" ? { detail: result.why.slice(0, MAX_DETAIL_CHARS) } : {}),
  };
}

function stateOf(result: AttemptResult): Attempt["state"] {
  if (result.state === "competes") return "completed";
  if (result.state !== "out") return result.state;
  return result.outcome === "too_late" ? "cancelled" : "failed";
}

function outcomeOf(result: AttemptResult, isOver: boolean): AttemptOutcome {
  switch (result.state) {
    case "running":
      return "pending";
    case "not_started":
      return "not_started";
    case "out":
      return result.outcome;
    case "competes":
      if (!isOver) return "pending";
      if (isLiar(result)) return "claimed_checks_passed";
      return result.checks.state === "failed" ? "checks_failed" : "not_chosen";
  }
}

export function costUsdOf(run: Pick<RunRecord, "usage"> | null): number | null {
  const microUsd = run?.usage?.budget?.costMicroUsd ?? null;
  return microUsd === null ? null : microUsd / MICRO_PER_USD;
}

function secondsOf(run: RunRecord | null): number | null {
  if (run === null || run.startedAt === null || run.endedAt === null) return null;
  return Math.max(0, Math.round((run.endedAt - run.startedAt) / 100) / 10);
}
