// The end of `agent-service run`, wherever it came to one: files, the provider's pages, the last lines, the exit code.

import type { Environment } from "../ci/provider.ts";
import { concludeOutcome, type Outcome } from "../job/conclusion.ts";
import type { FollowLog } from "../job/follow-log.ts";
import { claimObstacle, jobWords, withoutClaim } from "../job/job-words.ts";
import { failsStep, type Verdict } from "../report/conclusion.ts";
import type { noFiles, RunFiles } from "./run-files.ts";
import { note } from "./run-notes.ts";
import { writePages } from "./run-pages.ts";
import { type RunFacts, resultOf, summaryOf } from "./run-result.ts";
import type { RunService } from "./run-service.ts";
import type { RunSettings } from "./run-settings.ts";

export type EndOptions = {
  readonly settings: RunSettings;
  readonly env: Environment;
  readonly service: RunService;
  readonly files: RunFiles | typeof noFiles;
  readonly log: FollowLog;
  readonly outcome: Outcome;
  readonly grant: RunFacts["grant"];
  readonly run: RunFacts["run"];
};

/** Resolves to the exit code. What cannot be written is said, and changes no conclusion. */
export async function endRun(options: EndOptions): Promise<number> {
  const { settings, env, service, files, log, outcome } = options;
  await attempt("events file", () => log.end());
  const facts = factsOf(options);
  await attempt("output folder", () => writeFiles(facts, options));
  await attempt("page of this CI", () => writePages({ facts, files, env }));
  await files.close();
  if (settings.format === "text") sayEnd(facts, files.folder);
  say(facts.verdict);
  sayClaim(facts);
  return failsStep(facts.verdict, settings.failOn) ? 1 : 0;

  function sayClaim({ claimUrl, report }: RunFacts): void {
    const isAsked = service.job !== null && !service.isEmbedded;
    if (claimUrl !== null) note(`Claim this repository's agent, for credits of its own: ${claimUrl}`);
    else if (isAsked && hasEnded(report) && outcome.type === "ended") sayObstacle();
  }

  function sayObstacle(): void {
    const obstacle = service.job === null ? null : claimObstacle(service.job.provider);
    if (obstacle !== null) note(`The free credits of this repository's owner are used up. ${obstacle}`);
  }
}

function hasEnded(report: RunFacts["report"]): boolean {
  return report?.quota?.credits_remaining === 0;
}

function factsOf({ service, outcome, log, grant, run }: EndOptions): RunFacts {
  const provider = service.job?.provider ?? null;
  const obstacle = provider === null ? null : claimObstacle(provider);
  const asIs = concludeOutcome(outcome, provider === null ? undefined : jobWords(provider));
  const verdict = obstacle === null ? asIs : withoutClaim(asIs, obstacle);
  const granted = service.isEmbedded ? null : (log.report.quota?.claim_url ?? grant?.claim_url ?? null);
  return {
    service,
    outcome,
    verdict,
    grant,
    run,
    report: log.report,
    reply: log.reply(),
    claimUrl: verdict.claimUrl ?? granted,
  };
}

async function writeFiles(facts: RunFacts, { files }: EndOptions): Promise<void> {
  if (files.folder === null) return;
  const { report, reply } = facts;
  await files.write("reply.md", reply === "" ? "" : `${reply.trimEnd()}\n`);
  await files.write("summary.md", summaryOf(facts));
  await files.write("result.json", `${JSON.stringify(resultOf(facts), null, 2)}\n`);
  const patch = report?.changes?.patch ?? "";
  if (patch !== "") await files.write("changes.patch", patch);
  const output = report?.output ?? null;
  if (output !== null) await files.write("output.json", `${JSON.stringify(output.value, null, 2)}\n`);
}

/** The run's last line for people: how it ended and what it cost. */
function sayEnd(facts: RunFacts, folder: string | null): void {
  const { outcome, service } = facts;
  if (folder !== null) process.stdout.write(`Reply, summary, events and patch are in ${folder}.\n`);
  if (outcome.type !== "ended") return;
  const { status, credits, tokens } = outcome.run;
  const said = credits === null ? "unknown credits" : `${credits} credits`;
  const parts = [
    status,
    ...(service.isEmbedded ? [] : [said]),
    ...(tokens === null ? [] : [`${tokens} tokens`]),
  ];
  process.stdout.write(`${parts.join(", ")}\n`);
}

/** A success was said by the run's own last line. */
function say({ conclusion, message }: Verdict): void {
  if (conclusion !== "success") note(message);
}

async function attempt(what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    note(`The ${what} could not be written: ${error instanceof Error ? error.message : "unknown"}`);
  }
}
