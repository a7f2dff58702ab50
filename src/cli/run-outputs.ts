// The typed outputs of `agent-service run`: what its job may write, on GitLab, by a token that the workflow gives.
// Why: docs/decisions/157-typed-outputs-on-gitlab.md

import type { Environment } from "../base/environment.ts";
import { isForkMergeRequest } from "../ci/gitlab.ts";
import type { CiJob } from "../ci/provider.ts";
import { ciProviders } from "../contract/ci/providers.ts";
import type { TypedOutputs } from "../contract/runs/typed-outputs.ts";
import type { GitLabApi } from "../gitlab/gitlab-api.ts";
import { gitlabOutputs } from "../gitlab/gitlab-outputs.ts";
import { readIssueText } from "../gitlab/issue-text.ts";
import { readViewer } from "../gitlab/viewer.ts";
import { applicableOutputs, notWritableText, type OutputSubject } from "../job/outputs/applicable-outputs.ts";
import { writeOutputs } from "../job/outputs/write-outputs.ts";
import type { RunReport } from "../report/run-report.ts";
import type { WrittenOutputs } from "../report/written-outputs.ts";
import { UsageError } from "./flags.ts";
import { mergeRequestOf, openApi, readAccess } from "./gitlab-access.ts";
import { note } from "./run-notes.ts";

const TEAM = "team/";

export type DeclaredOutputs = {
  readonly outputs: TypedOutputs;
  /** The issue that the run is about, which the workflow names. Null: what the job is about. */
  readonly issue: number | null;
};

/** Outputs of a run, on the way from the flags to the code host. */
export type RunOutputs = {
  /**
   * Proves the token and reads the issue, before anything is spent. `outputs` are those that have something to be written to, null where
   * none has; `text` is what the prompt has of the issue, "" where the run is about none. Rejects with StepError.
   */
  prepare(signal: AbortSignal): Promise<{ readonly outputs: TypedOutputs | null; readonly text: string }>;
  /** What the run asked for, within what was declared. Rejects only with the signal's reason. */
  write(report: RunReport, signal: AbortSignal): Promise<WrittenOutputs>;
};

export type OutputsPlace = {
  readonly env: Environment;
  readonly job: CiJob | null;
  readonly service: "remote" | "embedded";
};

/** Null where the job writes nothing. Sends nothing. Throws UsageError for what this job cannot write at all. */
export function openRunOutputs(
  { outputs, issue }: DeclaredOutputs,
  { env, job, service }: OutputsPlace,
): RunOutputs | null {
  if (job?.provider !== "gitlab") throw new UsageError(elsewhere(job));
  refuseForeign(outputs);
  if (isForkMergeRequest(env)) {
    // A service's job starts no run at all.
    if (service === "embedded") note("This is a fork's merge request: nothing is written for its run.");
    return null;
  }
  const access = readAccess(env, { flag: "--outputs", projectId: job.repository.id });
  const open = (signal: AbortSignal): GitLabApi => openApi(access, signal);
  const subject = subjectOf(issue, { env, projectId: access.projectId });
  return {
    prepare: async (signal) => {
      const api = open(signal);
      await readViewer(api);
      const place = { repository: job.repository.name, seed: job.runId };
      const text = issue === null ? "" : await readIssueText(api, { number: issue, ...place });
      return { outputs: writable(outputs, subject.type), text };
    },
    write: async ({ typedOutputs }, signal) => {
      return await writeOutputs({
        host: gitlabOutputs(open(signal)),
        declared: outputs,
        asked: typedOutputs,
        subject,
        filing: filingOf(job, { env, subject }),
      });
    },
  };
}

function elsewhere(job: CiJob | null): string {
  const how =
    "--outputs is written by jobs of GitLab CI, and on GitHub by the Action, with its input outputs. Leave it out";
  if (job?.provider === "bitbucket")
    return `${how} on Bitbucket Pipelines: pull requests of Bitbucket have no labels and no assignees, and Atlassian has removed its issues (2026-08-20).`;
  return job === null
    ? `${how}: this is no job of a CI system that is known.`
    : `${how} on ${ciProviders[job.provider].title}.`;
}

/** GitLab has no discussions beside issues, no workflows, no teams, and takes a comma for the end of a label. */
function refuseForeign({ discussion, dispatch, labels, reviewers }: TypedOutputs): void {
  const faults = [
    ...(discussion === undefined
      ? []
      : ['"discussion" is for GitHub: a project of GitLab has none. Take it out, or file an "issue".']),
    ...(dispatch === undefined
      ? []
      : [
          '"dispatch" is for GitHub: GitLab starts pipelines, which have no list of files to choose from. Take it out, and start a downstream pipeline in a job of its own ("trigger:").',
        ]),
    ...(labels?.allowed ?? [])
      .filter((label) => label.includes(","))
      .map((label) => `"labels.allowed" has "${label}": GitLab's labels have no comma.`),
    ...(reviewers?.allowed ?? [])
      .filter((one) => one.startsWith(TEAM))
      .map((one) => `"reviewers.allowed" has "${one}": GitLab asks people for reviews, and no teams.`),
  ];
  if (faults.length > 0) throw new UsageError(faults.map((fault) => `--outputs: ${fault}`).join("\n"));
}

type Subject = { readonly type: OutputSubject; readonly number: number | null };

/** The issue that the workflow names, or the merge request of this pipeline where that is one of this project. */
function subjectOf(
  issue: number | null,
  { env, projectId }: { readonly env: Environment; readonly projectId: string },
): Subject {
  if (issue !== null) return { type: "issue", number: issue };
  const number = mergeRequestOf(env, projectId);
  return number === null ? { type: "none", number: null } : { type: "pull_request", number };
}

function writable(declared: TypedOutputs, about: OutputSubject): TypedOutputs | null {
  const outputs = applicableOutputs(declared, about);
  const left = Object.keys(declared).filter((type) => outputs === null || !Object.hasOwn(outputs, type));
  if (left.length > 0) {
    const advice = about === "none" ? " --issue names the issue that the run is about." : "";
    note(`${notWritableText(left, about).replace("pull request", "merge request")}${advice}`);
  }
  return outputs;
}

/** A retried job is the same pipeline's, and starts another run where the first has ended. */
function filingOf(job: CiJob, { env, subject }: { readonly env: Environment; readonly subject: Subject }) {
  return {
    place: [env.CI_CONFIG_PATH ?? "", job.job, job.step],
    runKey: [job.runId, job.job, subject.type, String(subject.number ?? "")].join(" "),
    jobUrl: env.CI_JOB_URL ?? env.CI_PIPELINE_URL ?? "",
  };
}
