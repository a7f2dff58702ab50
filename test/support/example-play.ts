// Plays a workflow of examples/ on a fixture: its jobs by their conditions, each with a token that may do what the file
// grants and no more; its scripts by bash, our action by the built entries. The one edit is that of a maintainer: base-url.

import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { type HostJob, runnerLog } from "../../fakes/code-host/workflow-runs.ts";
import { OUR_ACTION } from "../../scripts/lint-workflows.ts";
import { type Artifacts, type RunnerAction, runnerActions } from "./example-actions.ts";
import { runScript } from "./example-script.ts";
import { type ExampleJob, type ExampleStep, readExample, readWorkflow } from "./example-workflow.ts";
import type { ScenarioFixture, StepOptions, StepResult } from "./fixtures/scenario-fixture.ts";
import { type ExpressionContext, fillIn, isMet, type JobStatus } from "./workflow-expression.ts";

export type PlayOptions = {
  readonly fixture: ScenarioFixture;
  /** A name under examples/; with `text`, what the file would be called. */
  readonly file: string;
  readonly text?: string;
  readonly event: JobOptions;
  /** What somebody filled in under "Run workflow". */
  readonly inputs?: Readonly<Record<string, string>>;
  /** A folder that comes first in the scripts' PATH. */
  readonly programs?: string;
  /** Only these jobs. */
  readonly jobs?: readonly string[];
  readonly step?: StepOptions;
};

export type PlayedStep = {
  readonly step: ExampleStep;
  readonly outcome: "success" | "failure" | "skipped";
  /** What the step was given, as it was given. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
  readonly log: string;
  /** Of a step of our action. */
  readonly action: StepResult | null;
};

export type PlayedJob = {
  readonly result: "success" | "failure" | "skipped";
  readonly outputs: Readonly<Record<string, string>>;
  readonly steps: readonly PlayedStep[];
  /** Null for a job that did not take place. */
  readonly job: CodeHostJob | null;
  readonly concurrency: Readonly<Record<string, string>> | null;
};

const BASE_URL = "https://agents.example.com";
let workflowRuns = 1_700_000_000;

/** All jobs, one after the other. */
export async function playExample(options: PlayOptions): Promise<Readonly<Record<string, PlayedJob>>> {
  const { file, text } = options;
  const workflow = text === undefined ? readExample(file) : readWorkflow(text, file);
  const artifacts: Artifacts = new Map();
  const played: Record<string, PlayedJob> = {};
  const ended: HostJob[] = [];
  workflowRuns += 1;
  const runId = String(workflowRuns);
  for (const [key, job] of Object.entries(workflow.jobs)) {
    if (options.jobs !== undefined && !options.jobs.includes(key)) continue;
    played[key] = await playJob({
      ...options,
      key,
      job,
      played,
      artifacts,
      runId,
      workflow: { name: workflow.name, concurrency: workflow.concurrency },
    });
    ended.push(hostJob(key, played[key]));
    publishRun(options, { name: workflow.name, id: Number(runId), job: played[key].job, jobs: ended });
  }
  return played;
}

/** What GitHub's API tells of a job that has ended: two seconds a step. */
function hostJob(name: string, { result, steps }: PlayedJob): HostJob {
  const second = (at: number) => new Date(Date.UTC(2026, 0, 15, 9, 30, at)).toISOString().replace(".000", "");
  return {
    name,
    conclusion: result,
    steps: steps.map(({ step, outcome }, at) => ({
      name: `Run ${step.uses ?? step.run}`,
      conclusion: outcome,
      started_at: second(2 * at),
      completed_at: second(2 * at + 1),
    })),
    log: {
      text: runnerLog(
        steps.flatMap(({ step, outcome, log }, at): [string, string][] => [
          [second(2 * at), `##[group]Run ${step.uses ?? step.run}\n##[endgroup]`],
          [second(2 * at + 1), log],
          ...(outcome === "failure"
            ? ([[second(2 * at + 1), "##[error]It failed."]] as [string, string][])
            : []),
        ]),
      ),
    },
  };
}

/** The run goes on: its later jobs ask for those that have ended. */
function publishRun(
  { fixture, event }: PlayOptions,
  { name, id, job, jobs }: { name: string; id: number; job: CodeHostJob | null; jobs: readonly HostJob[] },
): void {
  if (job === null) return;
  const { pull_request: pull } = job.payload as { pull_request?: { head: { sha: string } } };
  const headSha = pull?.head.sha ?? job.env.GITHUB_SHA ?? "";
  const run = { name, event: event.event ?? "push", head_sha: headSha, conclusion: null, jobs: [...jobs] };
  fixture.codeHost.rest.workflowRuns.put(run, id);
}

/** The step of our action in a job that has one. */
export function actionOf(played: PlayedJob | undefined): StepResult {
  const step = played?.steps.find(({ action }) => action !== null)?.action;
  if (step === undefined || step === null) throw new Error("Our action did not run in this job.");
  return step;
}

type JobPlay = PlayOptions & {
  readonly key: string;
  readonly job: ExampleJob;
  readonly workflow: {
    readonly name: string;
    readonly concurrency: Readonly<Record<string, string>> | null;
  };
  readonly played: Readonly<Record<string, PlayedJob>>;
  readonly artifacts: Artifacts;
  readonly runId: string;
};

async function playJob(play: JobPlay): Promise<PlayedJob> {
  const { fixture, file, event, key, job, workflow, runId } = play;
  const { permissions } = job;
  const codeHostJob = await fixture.job({
    ...event,
    runId,
    job: key,
    workflow: workflow.name,
    permissions,
    ...(permissions["id-token"] === "write" ? {} : { idToken: false }),
    payload: { ...event.payload, ...(play.inputs === undefined ? {} : { inputs: play.inputs }) },
  });
  const { GITHUB_REPOSITORY = "", GITHUB_REF = "" } = codeHostJob.env;
  const env = { GITHUB_WORKFLOW_REF: `${GITHUB_REPOSITORY}/.github/workflows/${file}@${GITHUB_REF}` };
  const values = contextsOf(play, codeHostJob);
  const needed = { values, status: statusOfNeeds(play) };
  const concurrency = filled(workflow.concurrency ?? {}, needed);
  const common = { concurrency: workflow.concurrency === null ? null : concurrency };
  if (!isMet(job.if, needed)) return { ...common, result: "skipped", outputs: {}, steps: [], job: null };

  const steps: PlayedStep[] = [];
  let status: JobStatus = "success";
  for (const step of job.steps) {
    const context = { values: { ...values, steps: outputsById(steps) }, status };
    const done = await playStep(play, { step, context, codeHostJob, env });
    steps.push(done);
    if (done.outcome === "failure") status = "failure";
  }
  await playPostSteps(play, { steps, codeHostJob, env });
  const outputs = filled(job.outputs, { values: { ...values, steps: outputsById(steps) }, status });
  return {
    ...common,
    result: status === "success" ? "success" : "failure",
    outputs,
    steps,
    job: codeHostJob,
  };
}

type StepPlay = {
  readonly step: ExampleStep;
  readonly context: ExpressionContext;
  readonly codeHostJob: CodeHostJob;
  readonly env: Readonly<Record<string, string>>;
};

async function playStep(play: JobPlay, { step, context, codeHostJob, env }: StepPlay): Promise<PlayedStep> {
  const inputs = filled(step.with, context);
  const nothing = { step, inputs, outputs: {}, log: "", action: null };
  if (!isMet(step.if, context)) return { ...nothing, outcome: "skipped" };
  if (step.uses === OUR_ACTION) {
    const action = await play.fixture.main(codeHostJob, {
      ...play.step,
      inputs: ourInputs(play, inputs),
      env: { ...env, ...play.step?.env, GITHUB_ACTION: step.id ?? "__agent-service_agent-service" },
    });
    const { exitCode, outputs, log } = action;
    return { ...nothing, outcome: exitCode === 0 ? "success" : "failure", outputs, log, action };
  }
  if (step.run !== null) {
    const stepEnv = { ...codeHostJob.env, ...env, ...filled(step.env, context) };
    const ended = await runScript({
      ...step,
      script: step.run,
      env: stepEnv,
      programs: play.programs ?? null,
    });
    return { ...nothing, ...ended };
  }
  const name = step.uses?.split("@")[0] ?? "";
  const action: RunnerAction | undefined = runnerActions[name];
  if (action === undefined) throw new Error(`This runner has no action "${name}".`);
  const log = await action({
    inputs,
    job: codeHostJob,
    artifacts: play.artifacts,
    repository: play.fixture.repository,
  });
  return { ...nothing, outcome: log === null ? "success" : "failure", log: log ?? "" };
}

async function playPostSteps(
  { fixture, ...play }: JobPlay,
  { steps, codeHostJob, env }: Omit<StepPlay, "step" | "context"> & { steps: readonly PlayedStep[] },
): Promise<void> {
  for (const { action, inputs } of steps.toReversed()) {
    if (action === null) continue;
    const post = await fixture.post(codeHostJob, action, {
      inputs: ourInputs({ fixture, ...play }, inputs),
      env,
    });
    if (post.exitCode !== 0) throw new Error(`The post step failed:\n${post.log}`);
  }
}

function ourInputs(
  { fixture }: PlayOptions,
  inputs: Readonly<Record<string, string>>,
): Record<string, string> {
  if (inputs["base-url"] !== BASE_URL) throw new Error(`Every example names ${BASE_URL}, to be replaced.`);
  return { ...inputs, "base-url": fixture.url };
}

function contextsOf(
  { job, played }: JobPlay,
  { env, payload, githubToken }: CodeHostJob,
): Record<string, unknown> {
  const github: Record<string, unknown> = { event: payload, token: githubToken };
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith("GITHUB_")) github[name.slice("GITHUB_".length).toLowerCase()] = value;
  }
  const needs = job.needs.map((key) => [key, played[key]]);
  return {
    github,
    inputs: payload.inputs ?? {},
    needs: Object.fromEntries(needs),
    runner: { temp: env.RUNNER_TEMP },
    steps: {},
  };
}

function statusOfNeeds({ job, played }: JobPlay): JobStatus {
  const results = job.needs.map((key) => {
    const needed = played[key];
    if (needed === undefined) throw new Error(`Job "${key}" is needed before it was played.`);
    return needed.result;
  });
  if (results.includes("failure")) return "failure";
  // What needs a job that did not take place does not take place either.
  return results.includes("skipped") ? "cancelled" : "success";
}

function outputsById(steps: readonly PlayedStep[]): Record<string, unknown> {
  return Object.fromEntries(
    steps.map(({ step, outputs, outcome }) => [step.id ?? "", { outputs, outcome, conclusion: outcome }]),
  );
}

function filled(texts: Readonly<Record<string, string>>, context: ExpressionContext): Record<string, string> {
  const entries = Object.entries(texts);
  return Object.fromEntries(entries.map(([name, text]) => [name, fillIn(text, context)]));
}
