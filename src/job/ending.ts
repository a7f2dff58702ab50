// The ending of a job, as everything that reports on it needs it. Pure.

import type { ModelUsage, RunBudget } from "../contract/runs/run.ts";
import { type OutcomeTitle, outcomeTitle } from "../render/outcome-title.ts";
import type { Verdict } from "../report/conclusion.ts";
import { emptyReport, type RunReport } from "../report/run-report.ts";
import type { Outcome } from "./conclusion.ts";
import type { HandedOver, JobTypes } from "./job-types.ts";
import type { JobRun, Progress } from "./progress.ts";

export type Ending<Own extends JobTypes = JobTypes> = HandedOver & {
  /** The phase that the job reached. */
  readonly progress: Progress<Own>;
  readonly outcome: Outcome;
  readonly verdict: Verdict;
  /** Whether `fail-on` names this conclusion. */
  readonly fails: boolean;
  /** The address to claim the repository's agent at; null where nobody can, or need. */
  readonly claimUrl: string | null;
};

/** The run and its numbers; null or empty for what the job did not come to. */
export type RunFacts = {
  readonly agentId: string | null;
  readonly run: JobRun | null;
  readonly report: RunReport;
  readonly reply: string;
  /** Null without a charge: a service inside the job charges nobody. */
  readonly creditsCharged: number | null;
  readonly creditsRemaining: number | null;
  readonly tokens: number | null;
  /** Null where it is not known. */
  readonly budget: RunBudget | null;
  /** Empty where it is not known. */
  readonly models: readonly ModelUsage[];
  /** Why the agent could not see what the job is about; null where it could. */
  readonly unseen: string | null;
};

export function runFacts({ progress, outcome }: Ending): RunFacts {
  const ended = outcome.type === "ended" ? outcome.run : null;
  const service = "service" in progress ? progress.service : null;
  const isCharged = service?.type !== "embedded";
  const report = "log" in progress ? progress.log.report : emptyReport();
  return {
    agentId: "grant" in progress ? progress.grant.agent_id : null,
    run: "run" in progress ? progress.run : null,
    report,
    reply: "log" in progress ? progress.log.reply() : "",
    creditsCharged: isCharged ? (ended?.credits ?? null) : null,
    creditsRemaining: isCharged ? creditsLeft(progress, report) : null,
    tokens: ended?.tokens ?? null,
    budget: ended !== null && "budget" in ended ? (ended.budget ?? null) : null,
    models: ended !== null && "usage_by_model" in ended ? (ended.usage_by_model ?? []) : [],
    unseen: service?.type === "embedded" ? service.changeNotice : null,
  };
}

/** The title of an ending, in a few words. */
export function endingTitle(ending: Ending): OutcomeTitle {
  const { verdict, delivery, findings } = ending;
  return outcomeTitle(runFacts(ending).report, { ...verdict, delivery, findings });
}

/** Without a run the grant's number still holds; after one, only the run's own does. */
function creditsLeft(progress: Progress, { quota }: RunReport): number | null {
  if (quota !== null) return quota.credits_remaining;
  return "grant" in progress && !("run" in progress) ? progress.grant.quota.credits_remaining : null;
}
