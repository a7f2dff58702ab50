// The failed jobs of a commit, with the output of their failed steps, from GitHub's API. Needs the permission "actions: read".
// https://docs.github.com/en/rest/actions/workflow-runs, …/workflow-jobs (looked up on 2026-11-22)
// Why: docs/decisions/056-logs-of-failed-jobs.md

import * as z from "zod/mini";
import { singleLine } from "../../base/untrusted-text.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { failedSteps, failedStepsLog } from "./step-log.ts";

/** Runs of workflows to look into, newest first, and logs to read. Further failed jobs are named only. */
const MAX_RUNS = 10;
const MAX_LOGS = 3;
const MAX_NAMED = 20;
const MAX_LOG_BYTES = 32 * 1024 * 1024;
const MAX_NAME_CHARS = 200;

export type FailedJob = {
  /** Of the workflow and of the job. One line. */
  readonly name: string;
  /** Of its failed steps, one line each. */
  readonly steps: readonly string[];
  /** Null where there is none to read: not written yet, deleted, or one of more jobs than are read. */
  readonly log: string | null;
};

export type FailedJobs =
  | { readonly type: "read"; readonly jobs: readonly FailedJob[] }
  /** `isDenied`: the job's token lacks the permission. */
  | { readonly type: "unreadable"; readonly isDenied: boolean; readonly message: string };

const runsSchema = z.object({
  workflow_runs: z.array(
    z.object({
      id: z.int(),
      name: z.nullish(z.string()),
      workflow_id: z.int(),
      event: z.string(),
      conclusion: z.nullable(z.string()),
    }),
  ),
});
type WorkflowRun = z.infer<typeof runsSchema>["workflow_runs"][number];

const jobsSchema = z.object({
  jobs: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      conclusion: z.nullable(z.string()),
      steps: z.optional(
        z.array(
          z.object({
            name: z.string(),
            conclusion: z.nullable(z.string()),
            started_at: z.nullish(z.string()),
            completed_at: z.nullish(z.string()),
          }),
        ),
      ),
    }),
  ),
});
type Job = z.infer<typeof jobsSchema>["jobs"][number] & { readonly run: WorkflowRun };

/** Those of the commit that have ended, this workflow's among them. Rejects only with the signal's reason. */
export async function readFailedJobs(api: GitHubApi, headSha: string): Promise<FailedJobs> {
  try {
    const jobs: FailedJob[] = [];
    for (const job of await failedJobs(api, headSha)) {
      jobs.push(describe(job, jobs.length < MAX_LOGS ? await readLog(api, job) : null));
    }
    return { type: "read", jobs };
  } catch (cause) {
    if (!(cause instanceof GitHubError)) throw cause;
    return { type: "unreadable", isDenied: cause.status === 403, message: cause.message };
  }
}

async function failedJobs(api: GitHubApi, headSha: string): Promise<readonly Job[]> {
  const path = `/actions/runs?head_sha=${headSha}&exclude_pull_requests=true&per_page=100`;
  const found = await api.read(path, runsSchema);
  const runs = latestRuns(found?.workflow_runs ?? []).filter(mayHaveFailed);
  const jobs: Job[] = [];
  for (const run of runs.slice(0, MAX_RUNS)) {
    const ofRun = await api.read(`/actions/runs/${run.id}/jobs?filter=latest&per_page=100`, jobsSchema);
    jobs.push(...(ofRun?.jobs ?? []).filter(hasFailed).map((job) => ({ ...job, run })));
  }
  return withoutTwins(jobs).slice(0, MAX_NAMED);
}

/** GitHub lists the newest first. What an older run of the same workflow said is out of date. */
function latestRuns(runs: readonly WorkflowRun[]): WorkflowRun[] {
  const latest = new Map<string, WorkflowRun>();
  for (const run of runs) {
    const key = `${run.workflow_id} ${run.event}`;
    if (!latest.has(key)) latest.set(key, run);
  }
  return [...latest.values()];
}

/** A run without a conclusion goes on, and some of its jobs can have failed: those that this job needs, for instance. */
function mayHaveFailed({ conclusion }: WorkflowRun): boolean {
  return conclusion === null || conclusion === "failure" || conclusion === "timed_out";
}

function hasFailed({ conclusion }: { conclusion: string | null }): boolean {
  return conclusion === "failure" || conclusion === "timed_out";
}

/** A push and its pull request run the same jobs. */
function withoutTwins(jobs: readonly Job[]): readonly Job[] {
  const known = new Set<string>();
  return jobs.filter(({ name, run }) => {
    const key = JSON.stringify([run.workflow_id, name]);
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}

/** A log that is missing, too large or in a storage that does not answer hides no other. */
async function readLog(api: GitHubApi, { id, steps = [] }: Job): Promise<string | null> {
  try {
    const log = await api.readRedirected(`/actions/jobs/${id}/logs`, MAX_LOG_BYTES);
    return log === null ? null : failedStepsLog(log, steps);
  } catch (cause) {
    if (cause instanceof GitHubError && cause.code === "code_host_unavailable") return null;
    throw cause;
  }
}

function describe({ name, run, steps = [] }: Job, log: string | null): FailedJob {
  const workflow = run.name ?? "";
  return {
    name: singleLine(workflow === "" ? name : `${workflow} / ${name}`, MAX_NAME_CHARS),
    steps: failedSteps(steps).map((step) => singleLine(step.name, MAX_NAME_CHARS)),
    log,
  };
}
