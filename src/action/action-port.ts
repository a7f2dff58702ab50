// How GitHub Actions gives the recipe of job/run-job.ts what it needs: inputs in; log, outputs, summary, status comment
// and annotations out.

import { appendFile } from "node:fs/promises";
import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import { createGitHubProvider } from "../ci/github.ts";
import { endingTitle } from "../job/ending.ts";
import type { JobPort, Publication } from "../job/job-port.ts";
import { actionWords } from "../job/job-words.ts";
import { runLines } from "../job/notes.ts";
import type { Submitted } from "../job/progress.ts";
import { titleLine } from "../render/outcome-title.ts";
import { openActionLog } from "./action-log.ts";
import { type ActionEnding, type ActionTypes, type Step, USER_AGENT } from "./action-types.ts";
import { concludeComment } from "./conclude-comment.ts";
import { fileLinks } from "./file-links.ts";
import { githubAccess } from "./github-access.ts";
import { handOver, withhold } from "./hand-over.ts";
import { givenInputs } from "./input-names.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import { openService } from "./open-service.ts";
import { writeOutputs } from "./outputs.ts";
import { planJob } from "./plan-job.ts";
import { sayLine } from "./say-line.ts";
import { leaveState } from "./state.ts";

export function actionPort(surroundings: Omit<Step, "github">): JobPort<ActionTypes> {
  const time = { clock: systemClock, random: Math.random };
  const github = createGitHubProvider({ ...githubAccess(surroundings), ...time });
  const step: Step = { ...surroundings, github };
  return {
    clock: systemClock,
    interrupts: step.interrupts,
    transport: step.transport,
    userAgent: USER_AGENT,
    words: actionWords,
    claimObstacle: null,
    readSettings: async () => readSettings(step),
    planJob: (configured) => planJob(step, configured.settings.inputs),
    openService: (admitted) => openService(step, admitted),
    setSecret: core.setSecret,
    keepGrant: (grant, progress) => {
      // An embedded service ends with this step, and its capability with it.
      if ("service" in progress && progress.service.type === "embedded") return;
      leaveState({ capability: grant.access_token, phase: "run" in progress ? "submitted" : "granted" });
    },
    announce,
    openLog: (submitted) => openActionLog(step, submitted),
    handOver: (following) => handOver(step, following),
    withhold,
    publications: (ending) => publications(step, ending),
    sayEnding,
    note: sayLine,
    warn: core.warning,
  };
}

function readSettings({ env }: Step): ActionTypes["settings"] {
  const modelKey = core.getInput("model-api-key");
  if (modelKey !== "") core.setSecret(modelKey);
  const inputs = readInputs({ read: (name) => core.getInput(name), names: givenInputs(env) });
  warnOfIgnored(inputs);
  const { wait, onCancel, failOn, failOnSeverity, timeoutMinutes, idleMinutes } = inputs;
  return {
    inputs,
    wait,
    onCancel,
    failOn,
    failOnSeverity,
    timeoutMs: timeoutMinutes * 60_000,
    idleMs: idleMinutes === null ? null : idleMinutes * 60_000,
  };
}

function warnOfIgnored({ ignored, service }: Inputs): void {
  if (ignored.length === 0) return;
  const names = ignored.map((name) => `"${name}"`).join(", ");
  core.warning(
    service.type === "remote"
      ? `${names} have no effect with this "base-url": the service has models of its own.`
      : `${names} have no effect without a "base-url": the service runs inside this job.`,
  );
}

function announce({ run, grant, settings, plan }: Submitted<ActionTypes>): void {
  for (const line of runLines(run)) sayLine(line);
  core.setOutput("run-id", run.id);
  core.setOutput("run-url", run.url ?? "");
  core.setOutput("session-id", run.sessionId);
  plan.statusComment?.begin(run);
  // The post step does not cancel a run that this step does not wait for.
  if (settings.wait) leaveState({ agentId: grant.agent_id, runId: run.id, phase: "submitted" });
}

function publications(step: Step, ending: ActionEnding): readonly Publication[] {
  let commentUrl: string | null = null;
  const comment = async () => {
    commentUrl = await concludeComment(step, ending);
  };
  const summary = async () => {
    const { GITHUB_STEP_SUMMARY: path, GITHUB_REPOSITORY = "", GITHUB_SHA = "" } = step.env;
    if (!path) return;
    const { jobSummary } = await import("../job/job-summary.ts");
    await appendFile(
      path,
      jobSummary(ending, {
        repository: GITHUB_REPOSITORY,
        sha: GITHUB_SHA,
        commentUrl,
        links: fileLinks(step.env, ending),
      }),
    );
  };
  return [
    { what: "comment", write: comment },
    { what: "outputs", write: () => writeOutputs(ending, commentUrl) },
    ...(hasSummary(ending) ? [{ what: "summary", write: summary }] : []),
  ];
}

/** A comment without a command gets no summary, and the doctor writes its own. */
function hasSummary({ progress, outcome, verdict }: ActionEnding): boolean {
  const isWanted = "settings" in progress && progress.settings.inputs.summary;
  return isWanted && verdict.reason !== "no_command" && outcome.type !== "examined";
}

function sayEnding(ending: ActionEnding): void {
  const { verdict, claimUrl, fails, outcome } = ending;
  const { conclusion, message } = verdict;
  const title = endingTitle(ending);
  const text = claimUrl === null ? message : `${message} ${claimUrl}`;
  const properties = { title: title.text };
  sayLine(titleLine(title));
  if (fails) {
    process.exitCode = core.ExitCode.Failure;
    core.error(text, properties);
  } else if (conclusion === "skipped" || conclusion === "detached") core.notice(text, properties);
  else if (conclusion !== "success") core.warning(text, properties);
  // A run's log and the doctor's page say so themselves.
  else if (outcome.type === "cancelled_runs") sayLine(text);
  // A run that was cancelled and not seen to end is left to the post step, which cancels it again.
  if (outcome.type !== "stopping") leaveState({ phase: "concluded" });
}
