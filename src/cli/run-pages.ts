// Where a CI provider shows a run beside its log, as far as the job may write there without a stored secret.
// What cannot be written is said, and changes no conclusion.

import { appendFile } from "node:fs/promises";
import { ProcessNotStartedError, runProcess } from "../base/run-process.ts";
import { visibleText, wholeChars } from "../base/untrusted-text.ts";
import { postBitbucketReport } from "../ci/bitbucket-report.ts";
import type { CiJob, Environment } from "../ci/provider.ts";
import type { Conclusion } from "../report/conclusion.ts";
import type { RunFiles } from "./run-files.ts";
import { annotationsOf, dotenvOf, type RunFacts, resultOf, summaryOf } from "./run-result.ts";

const ANNOTATE_TIMEOUT_MS = 20_000;
const MAX_DETAILS_CHARS = 2_000;

export type PageOptions = {
  readonly facts: RunFacts;
  readonly files: Pick<RunFiles, "write">;
  readonly env: Environment;
};

/** Rejects with what the provider, or the file, said. */
export async function writePages({ facts, files, env }: PageOptions): Promise<void> {
  const { job } = facts.service;
  const result = resultOf(facts);
  switch (job?.provider) {
    case "github":
      if (env.GITHUB_STEP_SUMMARY) await appendFile(env.GITHUB_STEP_SUMMARY, summaryOf(facts));
      return;
    case "gitlab":
      await files.write("agent-service.env", dotenvOf(result));
      await files.write("annotations.json", annotationsOf(result));
      return;
    case "buildkite":
      await annotateBuild({ facts, job, env });
      return;
    case "bitbucket":
      await reportToBitbucket({ facts, job, env });
      return;
    case "circleci":
    case undefined:
      return;
  }
}

const annotationStyles: Readonly<Record<Conclusion, string>> = {
  success: "success",
  failure: "error",
  quota: "error",
  cancelled: "warning",
  skipped: "info",
  detached: "info",
};

/** One a step: a retry writes over what the attempt before it said. */
async function annotateBuild(options: { facts: RunFacts; job: CiJob; env: Environment }): Promise<void> {
  const { facts, job, env } = options;
  const context = ["agent-service", job.job, job.step].filter((part) => part !== "").join("-");
  const end = await runProcess({
    command: "buildkite-agent",
    args: ["annotate", "--style", annotationStyles[facts.verdict.conclusion], "--context", context],
    env,
    timeoutMs: ANNOTATE_TIMEOUT_MS,
    input: summaryOf(facts),
  }).catch((cause: unknown) => {
    if (!(cause instanceof ProcessNotStartedError)) throw cause;
    throw new Error('there is no command "buildkite-agent" in this job', { cause });
  });
  if (end.type !== "exited" || end.exitCode !== 0) throw new Error('"buildkite-agent annotate" failed');
}

async function reportToBitbucket(options: { facts: RunFacts; job: CiJob; env: Environment }): Promise<void> {
  const { facts, job, env } = options;
  const { verdict, reply } = facts;
  const { conclusion, run_url: link, changed_files: changed, tokens } = resultOf(facts);
  const isOpen = conclusion === "detached";
  const text = reply === "" ? verdict.message : reply;
  await postBitbucketReport({
    env,
    id: `agent-service-${job.job.replace(/[^\w-]/g, "") || "step"}`,
    commit: facts.service.sha,
    report: {
      title: "Agent",
      details: wholeChars(visibleText(text).slice(0, MAX_DETAILS_CHARS)),
      report_type: "TEST",
      reporter: "agent-service",
      result: conclusion === "success" ? "PASSED" : isOpen ? "PENDING" : "FAILED",
      ...(link === null ? {} : { link }),
      data: [
        { title: "Conclusion", type: "TEXT", value: conclusion },
        { title: "Changed files", type: "NUMBER", value: changed.length },
        ...(tokens === null ? [] : [{ title: "Tokens", type: "NUMBER", value: tokens } as const]),
      ],
    },
  });
}
