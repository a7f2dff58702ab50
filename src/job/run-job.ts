// The recipe of a CI job with an agent, written once: settings, plan, service, run, conclusion. What differs between the Action
// and `agent-service run` is behind the port.

import { assertNever } from "../base/assert-never.ts";
import { ApiError } from "../client/errors.ts";
import type { Run } from "../contract/runs/run.ts";
import type { SubmitRunRequest } from "../contract/runs/run-requests.ts";
import type { Outcome } from "./conclusion.ts";
import { connectJob } from "./connect-job.ts";
import type { Ending } from "./ending.ts";
import { faultOf } from "./fault.ts";
import type { OwnRun } from "./idempotency.ts";
import type { JobPort } from "./job-port.ts";
import type { CancelTarget, HandedServer, JobTypes, Task } from "./job-types.ts";
import { accessBody, renewModelAccess, renewServerAccess } from "./model-renewal.ts";
import { claimWarning, plainHttpWarning, retryNote } from "./notes.ts";
import type {
  AdmittedJob,
  Configured,
  Connecting,
  GrantedJob,
  JobRun,
  Progress,
  SubmittedJob,
} from "./progress.ts";
import { findRunPage } from "./run-page.ts";
import { InterruptedError } from "./signals.ts";
import { StepError } from "./step-error.ts";
import { findLimited, submitRun } from "./submit-run.ts";

/**
 * Runs the whole job, reports how it ended and closes what was opened for it. What a user can cause or meet is an
 * outcome, and no rejection.
 */
export async function runJob<Own extends JobTypes>(job: JobPort<Own>): Promise<Ending<Own>> {
  const recipe = new Recipe(job);
  try {
    const outcome = await executeJob(recipe).catch((error: unknown) => failedOutcome(error, recipe.progress));
    const { concludeJob } = await import("./conclude-job.ts");
    return await concludeJob(job, { progress: recipe.progress, outcome });
  } finally {
    await closeOpened(recipe.progress);
  }
}

/** The job, and how far it has come. */
class Recipe<Own extends JobTypes> {
  readonly job: JobPort<Own>;
  progress: Progress<Own> = { phase: "starting" };

  constructor(job: JobPort<Own>) {
    this.job = job;
  }

  reach<Reached extends Progress<Own>>(progress: Reached): Reached {
    this.progress = progress;
    return progress;
  }
}

async function executeJob<Own extends JobTypes>(recipe: Recipe<Own>): Promise<Outcome> {
  const configured = await configure(recipe);
  const admitted = await admit(recipe, configured);
  const { task } = admitted.plan;
  if (task.type === "none") return task.outcome;
  const connecting = await openService(recipe, admitted);
  const granted = await takeCapability(recipe, connecting);
  if (task.type === "cancel") return await cancelRuns(recipe, { granted, target: task.target });
  const submitted = await startRun(recipe, { granted, task });
  recipe.job.announce(submitted);
  return submitted.settings.wait ? await follow(recipe, submitted) : leaveRun(submitted);
}

async function configure<Own extends JobTypes>(recipe: Recipe<Own>): Promise<Configured<Own>> {
  const settings = await recipe.job.readSettings();
  return recipe.reach({ phase: "configured", settings });
}

async function admit<Own extends JobTypes>(
  recipe: Recipe<Own>,
  configured: Configured<Own>,
): Promise<AdmittedJob<Own>> {
  const plan = await recipe.job.planJob(configured);
  return recipe.reach({ ...configured, phase: "admitted", plan });
}

async function openService<Own extends JobTypes>(
  recipe: Recipe<Own>,
  admitted: AdmittedJob<Own>,
): Promise<Connecting<Own>> {
  const { job } = recipe;
  const service = await job.openService(admitted);
  const connecting = recipe.reach({ ...admitted, phase: "connecting", service });
  if (service.type === "remote") {
    const warning = plainHttpWarning(service.baseUrl);
    if (warning !== null) job.warn(warning);
  } else if (service.changeNotice !== null) job.warn(service.changeNotice);
  return connecting;
}

async function takeCapability<Own extends JobTypes>(
  recipe: Recipe<Own>,
  connecting: Connecting<Own>,
): Promise<GrantedJob<Own>> {
  const { job } = recipe;
  const { client, grant: exchange } = connectJob({
    service: connecting.service,
    transport: job.transport,
    userAgent: job.userAgent,
    words: job.words,
    setSecret: job.setSecret,
    onGrant: (grant) => {
      if ("grant" in recipe.progress) recipe.reach({ ...recipe.progress, grant });
      job.keepGrant(grant, recipe.progress);
    },
    onRetry: (notice) => job.note(retryNote(notice)),
  });
  const grant = await exchange(job.interrupts.first);
  const granted = recipe.reach({ ...connecting, phase: "granted", client, grant, exchange });
  const unclaimed = claimWarning(connecting.service, grant, job.words);
  if (unclaimed !== null) job.warn(unclaimed);
  job.interrupts.first.throwIfAborted();
  return granted;
}

async function cancelRuns<Own extends JobTypes>(
  { job }: Recipe<Own>,
  { granted, target }: { granted: GrantedJob<Own>; target: CancelTarget },
): Promise<Outcome> {
  const { cancelRuns: cancelAll, runsInFlight } = await import("./cancel-runs.ts");
  const { client, grant } = granted;
  const options = { client, agentId: grant.agent_id, clock: job.clock, signal: job.interrupts.first };
  const runIds = target.type === "run" ? [target.runId] : await runsInFlight(target.sessionKey, options);
  return { type: "cancelled_runs", runIds: await cancelAll(runIds, options) };
}

async function startRun<Own extends JobTypes>(
  recipe: Recipe<Own>,
  { granted, task }: { granted: GrantedJob<Own>; task: RunTask | Extract<Task, { type: "attach" }> },
): Promise<SubmittedJob<Own>> {
  const { runId, sessionId, attached, continuedAfter } = await findOrSubmit(recipe, { granted, task });
  const { service } = granted;
  const apiUrl =
    service.type === "remote" ? `${service.baseUrl}/v1/ci/runs/${encodeURIComponent(runId)}` : null;
  const run: JobRun = { id: runId, sessionId, url: apiUrl, apiUrl, attached, continuedAfter };
  const submitted = recipe.reach({ ...granted, phase: "submitted", run });
  recipe.job.keepRun(submitted);
  return service.type === "remote" ? await nameRunPage(recipe, submitted) : submitted;
}

async function findOrSubmit<Own extends JobTypes>(
  recipe: Recipe<Own>,
  { granted, task }: { granted: GrantedJob<Own>; task: RunTask | Extract<Task, { type: "attach" }> },
): Promise<OwnRun> {
  if (task.type === "attach") return await findRun(recipe, { granted, runId: task.runId });
  const { body, continues } = task;
  if (continues !== null) {
    const { client, grant } = granted;
    const signal = recipe.job.interrupts.first;
    const limited = await findLimited({ client, agentId: grant.agent_id, body, raises: continues, signal });
    // Followed, it says at once what it waits for.
    if (limited !== null) return await findRun(recipe, { granted, runId: limited });
  }
  return await submit(recipe, { granted, task: await prepareRun(recipe, { granted, task }) });
}

/** Where the service has pages, the run's address is that of its page. */
async function nameRunPage<Own extends JobTypes>(
  recipe: Recipe<Own>,
  submitted: SubmittedJob<Own>,
): Promise<SubmittedJob<Own>> {
  const { clock, interrupts } = recipe.job;
  const { client, run } = submitted;
  const url = await findRunPage(client, { runId: run.id, clock, signal: interrupts.first });
  if (url === null) return submitted;
  const named = recipe.reach({ ...submitted, run: { ...run, url } });
  recipe.job.keepRun(named);
  return named;
}

/** A run that another step or job of the repository has started. */
async function findRun<Own extends JobTypes>(
  { job }: Recipe<Own>,
  { granted, runId }: { granted: GrantedJob<Own>; runId: string },
): Promise<OwnRun> {
  const { client, grant } = granted;
  const signal = job.interrupts.first;
  try {
    const run = await client.runs.get({ agentId: grant.agent_id, runId, signal });
    return { runId, sessionId: run.thread_id, attached: true, continuedAfter: null };
  } catch (cause) {
    if (!(cause instanceof ApiError && cause.status === 404)) throw cause;
    const message = `This repository has no run "${runId}" at the service. Give "run-id" the output of the step that started it.`;
    throw new StepError("run_not_found", message, { cause });
  }
}

type RunTask = Extract<Task, { type: "run" }>;

/** The commit travels only where the model's provider takes the job. */
async function prepareRun<Own extends JobTypes>(
  recipe: Recipe<Own>,
  run: { granted: GrantedJob<Own>; task: RunTask },
): Promise<RunTask> {
  await proveToModel(recipe, run.granted);
  return await bringCommit(recipe, run);
}

/** Sends the commit to a service that cannot clone it. Returns the task with what the service knows from that. */
async function bringCommit<Own extends JobTypes>(
  { job }: Recipe<Own>,
  { granted, task }: { granted: GrantedJob<Own>; task: RunTask },
): Promise<RunTask> {
  const { service, settings, grant, client } = granted;
  if (service.type === "embedded" || task.job === null) return task;
  if (settings.clone === "auto" && grant.repository.visibility === "public") return task;
  const { pull_request: pull } = task.body;
  const { sendCommit } = await import("./git/send-commit.ts");
  const { base } = await sendCommit({
    client,
    place: await job.commitPlace(granted),
    commit: {
      sha: pull?.head_sha ?? (service.sha || task.job.sha),
      baseRef: pull?.base_ref ?? null,
      pullRequest: pull?.number ?? null,
    },
    timeoutMs: settings.timeoutMs,
    clock: job.clock,
    signal: job.interrupts.first,
    note: job.note,
    warn: job.warn,
  });
  if (pull === undefined || base === null) return task;
  return { ...task, body: { ...task.body, pull_request: { ...pull, base_sha: base } } };
}

/** The first signal does not stop a submission: nobody would know whether there is a run. */
async function submit<Own extends JobTypes>(
  recipe: Recipe<Own>,
  { granted, task }: { granted: GrantedJob<Own>; task: RunTask },
): Promise<OwnRun> {
  const modelAccess = await proveToModel(recipe, granted);
  const serverAccess = await proveToServers(recipe, granted);
  const { client, grant } = recipe.reach({ ...granted, phase: "submitting" });
  const { job, matrix } = task;
  const body = {
    ...task.body,
    ...(modelAccess === null ? {} : { model_access: modelAccess }),
    ...(serverAccess === null ? {} : { mcp_access: serverAccess }),
  };
  const signal = recipe.job.interrupts.last;
  return await submitRun({ client, agentId: grant.agent_id, body, job, matrix, signal });
}

/** The token for a service; null where it gets none. A refusal of the model's provider ends the job before a run begins. */
async function proveToModel<Own extends JobTypes>(
  { job }: Recipe<Own>,
  { service }: GrantedJob<Own>,
): Promise<SubmitRunRequest["model_access"] | null> {
  const { first } = job.interrupts;
  if (service.type === "embedded") {
    await service.modelAccess?.current(first);
    return null;
  }
  if (service.model === null) return null;
  const { name, access } = service.model;
  const { provider, address } = access;
  const place = address === null ? {} : { address };
  return { provider, model: name, ...place, ...accessBody(await access.current(first)) };
}

/** A server without a token is not available to the run, which goes on. Null where there is none with one. */
async function proveToServers<Own extends JobTypes>(
  { job }: Recipe<Own>,
  { service }: GrantedJob<Own>,
): Promise<SubmitRunRequest["mcp_access"] | null> {
  if (service.type === "embedded" || service.servers.length === 0) return null;
  const { first } = job.interrupts;
  const brought = service.servers.map(async ({ name, access }) => {
    try {
      return [[name, accessBody(await access.current(first))] as const];
    } catch (error) {
      first.throwIfAborted();
      const why = error instanceof Error ? error.message : "unknown";
      job.warn(`The run has no access to the MCP server ${name}: ${why}`);
      return [];
    }
  });
  const accesses = (await Promise.all(brought)).flat();
  return accesses.length === 0 ? null : Object.fromEntries(accesses);
}

async function follow<Own extends JobTypes>(
  recipe: Recipe<Own>,
  submitted: SubmittedJob<Own>,
): Promise<Outcome> {
  const { job } = recipe;
  const { settings, client, grant, run } = submitted;
  const log = await job.openLog(submitted);
  recipe.reach({ ...submitted, phase: "following", log });
  const followed = new AbortController();
  const renewed = renewAccess(recipe, { submitted, signal: followed.signal });
  const { watchRun } = await import("./watch-run.ts");
  const end = await watchRun({
    client,
    agentId: grant.agent_id,
    runId: run.id,
    interrupts: job.interrupts,
    onCancel: settings.onCancel,
    timeoutMs: settings.timeoutMs,
    idleMs: settings.idleMs,
    clock: job.clock,
    words: job.words,
    onEvent: log.add,
    onNote: job.note,
  }).finally(() => followed.abort());
  await renewed;
  switch (end.type) {
    case "ended":
      await findClaim(recipe, { submitted, run: end.run });
      return { ...end, detail: log.failure() };
    case "stopping":
      return end;
    case "detached":
      return { type: "detached", runUrl: run.url, interrupted: true };
    default:
      return assertNever(end);
  }
}

/** A run that waits for credits has not said where its agent is claimed, as an ended one does: an exchange says it. */
async function findClaim<Own extends JobTypes>(
  { job }: Recipe<Own>,
  { submitted, run }: { submitted: SubmittedJob<Own>; run: Run },
): Promise<void> {
  const isForCredits = run.status === "running" && run.parked?.reason === "credits";
  if (!isForCredits || submitted.grant.claim_url !== null || job.claimObstacle !== null) return;
  await submitted.exchange(job.interrupts.first, { wantsClaimUrl: true }).catch((error: unknown) => {
    job.note(`No claim link: ${error instanceof Error ? error.message : "unknown"}`);
  });
}

/** Resolves once nothing more is sent. Never rejects. */
async function renewAccess<Own extends JobTypes>(
  { job }: Recipe<Own>,
  { submitted, signal }: { submitted: SubmittedJob<Own>; signal: AbortSignal },
): Promise<void> {
  const { service, plan, client, run } = submitted;
  if (service.type !== "remote" || plan.task.type !== "run") return;
  const { model, servers } = service;
  const common = { client, runId: run.id, clock: job.clock, signal, onNote: job.note };
  const renew = async ({ access }: Pick<HandedServer, "access">, name: string | null): Promise<void> => {
    // What has no token by now has its warning.
    const sent = run.attached ? null : await access.current(signal).catch(() => undefined);
    if (sent === undefined) return;
    if (name === null) await renewModelAccess({ ...common, access, sent });
    else await renewServerAccess({ ...common, access, sent, name });
  };
  await Promise.all([
    ...(model === null ? [] : [renew(model, null)]),
    ...servers.map((server) => renew(server, server.name)),
  ]).catch((error: unknown) => job.warn(`Unexpected error (${String(error)}). Please report it.`));
}

function leaveRun({ run }: { run: JobRun }): Outcome {
  return { type: "detached", runUrl: run.url, interrupted: false };
}

function failedOutcome(error: unknown, { phase }: Progress): Outcome {
  if (error instanceof InterruptedError) return { type: "interrupted", submitting: phase === "submitting" };
  return { type: "fault", fault: faultOf(error) };
}

async function closeOpened(progress: Progress): Promise<void> {
  if ("log" in progress) await progress.log.close();
  if ("service" in progress && progress.service.type === "embedded") await progress.service.close();
}
