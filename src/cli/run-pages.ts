// The pages on which a CI provider shows a run beside its log, where the job can write to them without a stored secret.

import { appendFile } from "node:fs/promises";
import { assertNever } from "../base/assert-never.ts";
import type { Environment } from "../base/environment.ts";
import { ProcessNotStartedError, runProcess } from "../base/run-process.ts";
import { visibleText, wholeChars } from "../base/untrusted-text.ts";
import { type BitbucketReport, postBitbucketReport } from "../ci/bitbucket-report.ts";
import type { CiJob } from "../ci/provider.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { runFacts } from "../job/ending.ts";
import type { Conclusion } from "../report/conclusion.ts";
import { annotationsOf, dotenvOf, resultOf, runSummary } from "./run-result.ts";
import type { CommandEnding, RunSurroundings } from "./run-types.ts";

const ANNOTATE_TIMEOUT_MS = 20_000;
const MAX_DETAILS_CHARS = 2_000;
const MAX_TITLE_CHARS = 200;

/** Rejects with the provider's or the file's error. */
export async function writePages(ending: CommandEnding, surroundings: RunSurroundings): Promise<void> {
  const { origin, files, env } = surroundings;
  const summary = () => runSummary(ending, surroundings);
  const { job } = origin;
  if (job === null) return;
  const { resultPage } = providerDefinitions[job.provider];
  switch (resultPage) {
    case "step_summary":
      if (env.GITHUB_STEP_SUMMARY) await appendFile(env.GITHUB_STEP_SUMMARY, summary());
      return;
    case "report_files":
      await files.write("agent-service.env", dotenvOf(resultOf(ending)));
      await files.write("annotations.json", annotationsOf(resultOf(ending)));
      return;
    case "annotation":
      await annotateBuild({ conclusion: ending.verdict.conclusion, summary: summary(), job, env });
      return;
    case "code_insights":
      await reportToBitbucket(ending, { job, sha: origin.sha, env });
      return;
    case null:
      return;
    default:
      assertNever(resultPage);
  }
}

const annotationStyles: Readonly<Record<Conclusion, string>> = {
  success: "success",
  failure: "error",
  quota: "error",
  incomplete: "error",
  cancelled: "warning",
  skipped: "info",
  detached: "info",
};

/** Bitbucket knows no other results, and asks for one. */
const reportResults: Readonly<Record<Conclusion, BitbucketReport["result"]>> = {
  success: "PASSED",
  failure: "FAILED",
  quota: "FAILED",
  incomplete: "FAILED",
  cancelled: "FAILED",
  skipped: "PENDING",
  detached: "PENDING",
};

/** One for each step: a retry replaces the annotation of the attempt before. */
async function annotateBuild(page: {
  conclusion: Conclusion;
  summary: string;
  job: CiJob;
  env: Environment;
}): Promise<void> {
  const { conclusion, summary, job, env } = page;
  const context = ["agent-service", job.job, job.step].filter((part) => part !== "").join("-");
  const end = await runProcess({
    command: "buildkite-agent",
    args: ["annotate", "--style", annotationStyles[conclusion], "--context", context],
    env,
    timeoutMs: ANNOTATE_TIMEOUT_MS,
    input: summary,
  }).catch((cause: unknown) => {
    if (!(cause instanceof ProcessNotStartedError)) throw cause;
    throw new Error('there is no command "buildkite-agent" in this job', { cause });
  });
  if (end.type !== "exited" || end.exitCode !== 0) throw new Error('"buildkite-agent annotate" failed');
}

async function reportToBitbucket(
  ending: CommandEnding,
  { job, sha, env }: { job: CiJob; sha: string; env: Environment },
): Promise<void> {
  const { title, conclusion, message, run_url: link, changed_files: changed, tokens } = resultOf(ending);
  const { reply } = runFacts(ending);
  const text = reply === "" ? message : reply;
  await postBitbucketReport({
    env,
    id: `agent-service-${job.job.replace(/[^\w-]/g, "") || "step"}`,
    commit: sha,
    report: {
      title: wholeChars(`Agent: ${visibleText(title)}`.slice(0, MAX_TITLE_CHARS)),
      details: wholeChars(visibleText(text).slice(0, MAX_DETAILS_CHARS)),
      report_type: "TEST",
      reporter: "agent-service",
      result: reportResults[conclusion],
      ...(link === null ? {} : { link }),
      data: [
        { title: "Conclusion", type: "TEXT", value: conclusion },
        { title: "Changed files", type: "NUMBER", value: changed.length },
        ...(tokens === null ? [] : [{ title: "Tokens", type: "NUMBER", value: tokens } as const]),
      ],
    },
  });
}
