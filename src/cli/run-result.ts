// What came of a run, as values: the same in result.json, in GitLab's dotenv report and on the providers' pages. Pure.

import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import type { Outcome } from "../job/conclusion.ts";
import { DEFAULT_SUMMARY_BYTES, renderSummary } from "../render/summary.ts";
import type { Verdict } from "../report/conclusion.ts";
import { emptyReport, type RunReport } from "../report/run-report.ts";
import type { RunService } from "./run-service.ts";

export type RunFacts = {
  readonly service: RunService;
  readonly outcome: Outcome;
  readonly verdict: Verdict;
  readonly grant: ExchangeResponse | null;
  readonly run: { readonly id: string; readonly url: string | null; readonly sessionId: string } | null;
  readonly report: RunReport | null;
  readonly reply: string;
  readonly claimUrl: string | null;
};

export type RunResult = {
  readonly conclusion: string;
  readonly reason: string;
  readonly message: string;
  readonly run_id: string | null;
  readonly run_url: string | null;
  readonly session_id: string | null;
  readonly credits: number | null;
  readonly tokens: number | null;
  readonly changed_files: readonly string[];
  readonly claim_url: string | null;
};

export function resultOf(facts: RunFacts): RunResult {
  const { outcome, verdict, run, report, claimUrl, service } = facts;
  const ended = outcome.type === "ended" ? outcome.run : null;
  return {
    conclusion: verdict.conclusion,
    reason: verdict.reason,
    message: verdict.message,
    run_id: run?.id ?? null,
    run_url: run?.url ?? null,
    session_id: run?.sessionId ?? null,
    // Inside the job nobody is charged.
    credits: service.isEmbedded ? null : (ended?.credits ?? null),
    tokens: ended?.tokens ?? null,
    changed_files: report?.changes?.files.map(({ path }) => path) ?? [],
    claim_url: claimUrl,
  };
}

export function summaryOf(facts: RunFacts, maxBytes = DEFAULT_SUMMARY_BYTES): string {
  const { service, verdict, grant, run, report, claimUrl } = facts;
  const { credits, tokens } = resultOf(facts);
  const granted = run === null ? grant?.quota.credits_remaining : null;
  const left = report?.quota?.credits_remaining ?? granted ?? null;
  return renderSummary(report ?? emptyReport(), {
    conclusion: verdict.conclusion,
    reason: verdict.reason,
    message: verdict.conclusion === "success" ? undefined : verdict.message,
    repository: service.job?.repository.name ?? "",
    sha: service.sha,
    agentId: grant?.agent_id,
    runId: run?.id,
    runUrl: run?.url ?? undefined,
    sessionId: run?.sessionId,
    creditsCharged: credits,
    creditsRemaining: service.isEmbedded ? null : left,
    tokens,
    claimUrl,
    maxBytes,
  });
}

/** Lines of `NAME=value` for GitLab's dotenv report: values on one line, without the reply. */
export function dotenvOf(result: RunResult): string {
  const values = {
    CONCLUSION: result.conclusion,
    REASON: result.reason,
    RUN_ID: result.run_id ?? "",
    RUN_URL: result.run_url ?? "",
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
