// The recipe's port on GitHub Actions: event and inputs in, outputs, log and checkout out. Its end is in conclude-step.ts.

import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import { createGitHubProvider } from "../ci/github.ts";
import type { TypedOutputs } from "../contract/runs/typed-outputs.ts";
import type { JobPort } from "../job/job-port.ts";
import { actionWords } from "../job/job-words.ts";
import { runLines } from "../job/notes.ts";
import type { SubmittedJob } from "../job/progress.ts";
import { openActionLog } from "./action-log.ts";
import { type ActionStep, type ActionTypes, USER_AGENT } from "./action-types.ts";
import { githubAccess } from "./github-access.ts";
import { InputError } from "./input-error.ts";
import { isPushed } from "./inputs.ts";
import { loadAhead } from "./load-ahead.ts";
import { openService } from "./open-service.ts";
import { planJob } from "./plan-job.ts";
import { readActionInputs } from "./read-inputs.ts";
import { sayLine } from "./say-line.ts";
import { leaveState } from "./state.ts";

export function actionPort(surroundings: Omit<ActionStep, "github">): JobPort<ActionTypes> {
  const time = { clock: systemClock, random: Math.random };
  const ahead = loadAhead(surroundings.transport);
  const github = createGitHubProvider({
    ...githubAccess({ ...surroundings, transport: ahead.transport }),
    ...time,
  });
  const step: ActionStep = { ...surroundings, github };
  return {
    clock: systemClock,
    interrupts: step.interrupts,
    transport: step.transport,
    userAgent: USER_AGENT,
    words: actionWords,
    claimObstacle: null,
    readSettings: async () => readSettings(step),
    planJob: async ({ settings }) => {
      const { inputs, outputs } = settings;
      const plan = await planJob(step, settings);
      if (plan.statusComment !== null || outputs !== null || isPushed(inputs.changes)) ahead.expectCalls();
      return plan;
    },
    openService: (admitted) => openService(step, admitted),
    setSecret: core.setSecret,
    keepGrant: (grant, progress) => {
      // An embedded service ends with this step, and its capability with it.
      if ("service" in progress && progress.service.type === "embedded") return;
      leaveState({ capability: grant.access_token, phase: "run" in progress ? "submitted" : "granted" });
    },
    commitPlace: async ({ settings }) => {
      const { commitPlace } = await import("./commit-place.ts");
      return commitPlace(step, { token: settings.inputs.githubToken, setSecret: core.setSecret });
    },
    keepRun,
    announce,
    openLog: (submitted) => openActionLog(step, submitted),
    conclude: async () => {
      const { concludingPort } = await import("./conclude-step.ts");
      return concludingPort(step);
    },
    note: sayLine,
    warn: core.warning,
  };
}

async function readSettings({ env }: ActionStep): Promise<ActionTypes["settings"]> {
  const modelKey = core.getInput("model-api-key");
  if (modelKey !== "") core.setSecret(modelKey);
  const inputs = await readActionInputs(env);
  for (const text of inputs.ignored) core.warning(text);
  const { wait, onCancel, failOn, failOnSeverity, clone, timeoutMinutes, idleMinutes } = inputs;
  return {
    inputs,
    outputs: inputs.outputs === null ? null : await decodeOutputs(inputs.outputs),
    wait,
    onCancel,
    failOn,
    failOnSeverity,
    clone,
    timeoutMs: timeoutMinutes * 60_000,
    idleMs: idleMinutes === null ? null : idleMinutes * 60_000,
  };
}

async function decodeOutputs(text: string): Promise<TypedOutputs> {
  const { readOutputs } = await import("../job/outputs/read-outputs.ts");
  const declared = readOutputs(text);
  if (!declared.ok) throw new InputError(declared.refusal);
  return declared.value;
}

/** The post step does not cancel a run that this step does not wait for. */
function keepRun({ run, grant, settings }: SubmittedJob<ActionTypes>): void {
  if (!settings.wait) return;
  const { id: runId, url: runUrl } = run;
  leaveState({ agentId: grant.agent_id, runId, runUrl: runUrl ?? "", phase: "submitted" });
}

function announce({ run, plan }: SubmittedJob<ActionTypes>): void {
  for (const line of runLines(run)) sayLine(line);
  core.setOutput("run-id", run.id);
  core.setOutput("run-url", run.url ?? "");
  core.setOutput("run-api-url", run.apiUrl ?? "");
  core.setOutput("session-id", run.sessionId);
  plan.statusComment?.begin(run);
}
