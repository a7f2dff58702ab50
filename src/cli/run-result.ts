// The result of a run: the files of --output-dir, and the values that GitLab's reports and the providers' pages share.

import { endingTitle, runFacts } from "../job/ending.ts";
import { jobSummary } from "../job/job-summary.ts";
import type { Conclusion } from "../report/conclusion.ts";
import type { CommandEnding, RunSurroundings } from "./run-types.ts";

/** Writes every file but the events. Does nothing without a folder. */
export async function writeResultFiles(ending: CommandEnding, surroundings: RunSurroundings): Promise<void> {
  const { files } = surroundings;
  if (files.folder === null) return;
  const { report, reply } = runFacts(ending);
  const { changes, output } = report;
  await files.write("reply.md", reply === "" ? "" : `${reply.trimEnd()}\n`);
  await files.write("summary.md", runSummary(ending, surroundings));
  await files.write("result.json", `${JSON.stringify(resultOf(ending), null, 2)}\n`);
  if (changes !== null && changes.patch !== "") await files.write("changes.patch", changes.patch);
  if (output !== null) await files.write("output.json", `${JSON.stringify(output.value, null, 2)}\n`);
}

/** The job summary in Markdown. */
export function runSummary(ending: CommandEnding, { origin }: RunSurroundings): string {
  return jobSummary(ending, { repository: origin.job?.repository.name ?? "", sha: origin.sha });
}

type RunResult = {
  /** The outcome, in a few words. */
  readonly title: string;
  readonly conclusion: Conclusion;
  readonly reason: string;
  readonly message: string;
  readonly run_id: string | null;
  /** The run's page; of a service without pages, `run_api_url`. */
  readonly run_url: string | null;
  readonly run_api_url: string | null;
  readonly session_id: string | null;
  readonly credits: number | null;
  readonly tokens: number | null;
  /** The cost of the models in US dollars, whoever paid; null where no price is known. */
  readonly cost_usd: number | null;
  readonly changed_files: readonly string[];
  readonly claim_url: string | null;
};

export function resultOf(ending: CommandEnding): RunResult {
  const { verdict, claimUrl } = ending;
  const { run, report, creditsCharged, tokens, budget } = runFacts(ending);
  return {
    title: endingTitle(ending).text,
    conclusion: verdict.conclusion,
    reason: verdict.reason,
    message: verdict.message,
    run_id: run?.id ?? null,
    run_url: run?.url ?? null,
    run_api_url: run?.apiUrl ?? null,
    session_id: run?.sessionId ?? null,
    credits: creditsCharged,
    tokens,
    cost_usd: budget?.cost_micro_usd === undefined ? null : budget.cost_micro_usd / 1_000_000,
    changed_files: report.changes?.files.map(({ path }) => path) ?? [],
    claim_url: claimUrl,
  };
}

/** Lines of `NAME=value` for GitLab's dotenv report: values on one line, without the reply. */
export function dotenvOf(result: RunResult): string {
  const values = {
    TITLE: result.title,
    CONCLUSION: result.conclusion,
    REASON: result.reason,
    RUN_ID: result.run_id ?? "",
    RUN_URL: result.run_url ?? "",
    RUN_API_URL: result.run_api_url ?? "",
    SESSION_ID: result.session_id ?? "",
    CREDITS: String(result.credits ?? ""),
    TOKENS: String(result.tokens ?? ""),
    CHANGED_FILES: String(result.changed_files.length),
  };
  return Object.entries(values)
    .map(([name, value]) => `AGENT_SERVICE_${name}=${value.replace(/\p{Cc}+/gu, " ")}\n`)
    .join("");
}

/** The links that GitLab shows beside a job: https://docs.gitlab.com/ci/yaml/artifacts_reports/#artifactsreportsannotations */
export function annotationsOf({ run_url: run, claim_url: claim }: RunResult): string {
  const links = [
    ...(run === null ? [] : [{ label: "The run", url: run }]),
    ...(claim === null ? [] : [{ label: "Claim this agent", url: claim }]),
  ];
  return `${JSON.stringify({ "agent-service": links.map((link) => ({ external_link: link })) }, null, 2)}\n`;
}
