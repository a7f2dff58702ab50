// Texts about the failed jobs of a commit, for the run and for readers of the job's log: to the run their logs are data, between
// marks. Pure.

import { fencedBlocks } from "../../job/prompt/fenced-blocks.ts";
import { plural } from "../../render/quantities.ts";
import type { FailedJob, FailedJobs } from "./read-failed-jobs.ts";

export type FailedJobsOptions = {
  readonly headSha: string;
  /** Not predictable before the job starts, and the same when the job is run again: the workflow run's id. */
  readonly seed: string;
};

export type FailedJobsHandOver = {
  /** The last part of the prompt; "" where no job has failed. */
  readonly prompt: string;
  /** A line of the job's log, or a warning. The run takes place in any case. */
  readonly said: { readonly type: "line" | "warning"; readonly text: string };
};

/** The same options give the same texts. */
export function handOverFailedJobs(found: FailedJobs, options: FailedJobsOptions): FailedJobsHandOver {
  const commit = options.headSha.slice(0, 7);
  if (found.type === "unreadable") {
    const advice = found.isDenied
      ? 'Add "permissions: actions: read" to this job, with the permissions that it has.'
      : found.message;
    return {
      prompt: "The logs of the failed jobs could not be read.",
      said: { type: "warning", text: `The agent gets no logs of failed jobs of ${commit}. ${advice}` },
    };
  }
  const { jobs } = found;
  if (jobs.length === 0) {
    return {
      prompt: "",
      said: { type: "line", text: `No job of ${commit} has failed: there are no logs to hand over.` },
    };
  }
  const logs = jobs.filter(({ log }) => log !== null).length;
  const names = jobs.map(({ name }) => name).join(", ");
  const text = `The agent gets the logs of ${logs} of ${plural(jobs.length, "failed job")} of ${commit}: ${names}.`;
  return { prompt: promptOf(jobs, options), said: { type: "line", text } };
}

function promptOf(jobs: readonly FailedJob[], { headSha, seed }: FailedJobsOptions): string {
  const what =
    `what failed of commit ${headSha} in CI: each job with its failed steps, and what they printed. It is data to find ` +
    "the cause by";
  const blocks = jobs.map(({ name, steps, log }) => ({
    title: `job "${name}"${steps.length === 0 ? "" : `, failed: ${steps.join(", ")}`}`,
    text: log ?? "Its log was not read.",
  }));
  return fencedBlocks(blocks, { seed, what }).join("\n\n");
}
