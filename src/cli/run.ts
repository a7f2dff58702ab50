// agent-service run: a run of an agent, from the CI job that this process is in, or on the checkout in this folder.

import { systemClock } from "../base/clock.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { createJobClient, type JobClient } from "../client/job-client.ts";
import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import { createCapability } from "../job/capability.ts";
import type { Outcome } from "../job/conclusion.ts";
import { type FollowLog, openFollowLog } from "../job/follow-log.ts";
import { submitOnce } from "../job/idempotency.ts";
import { InterruptedError, type Interrupts, listenForInterrupts } from "../job/signals.ts";
import { watchRun } from "../job/watch-run.ts";
import { version } from "./help.ts";
import { endRun } from "./run-end.ts";
import { DEFAULT_OUTPUT_DIR, noFiles, openRunFiles, type RunFiles } from "./run-files.ts";
import { logFormat } from "./run-log.ts";
import { note, noteRetry } from "./run-notes.ts";
import type { RunFacts } from "./run-result.ts";
import { openRunService, type RunService } from "./run-service.ts";
import { type RunSettings, readRunSettings } from "./run-settings.ts";

const REVOKE_MS = 5_000;

/** Resolves to the exit code: 1 for the conclusions that --fail-on names. Throws UsageError and CommandError. */
export async function run(args: readonly string[]): Promise<number> {
  const settings = await readRunSettings(args);
  const interrupts = listenForInterrupts();
  try {
    const service = await openRunService(settings.service, jobEnvironment);
    try {
      return await runOn(service, { settings, interrupts });
    } finally {
      await service.close();
    }
  } finally {
    interrupts.close();
  }
}

/** What is known so far, read when it ends, wherever that is. */
type Progress = {
  grant: ExchangeResponse | null;
  run: RunFacts["run"];
  isSubmitting: boolean;
};

type Step = {
  readonly settings: RunSettings;
  readonly interrupts: Interrupts;
  readonly service: RunService;
  readonly client: JobClient;
  readonly grant: (signal: AbortSignal) => Promise<ExchangeResponse>;
  readonly log: FollowLog;
  readonly progress: Progress;
};

async function runOn(
  service: RunService,
  { settings, interrupts }: { settings: RunSettings; interrupts: Interrupts },
): Promise<number> {
  const files = await openFiles(settings, service);
  const progress: Progress = { grant: null, run: null, isSubmitting: false };
  const log = openLog({ settings, service, files });
  const step = { settings, interrupts, service, log, progress, ...connect(service, progress) };
  const outcome = await executeRun(step).catch((error: unknown) => failedOutcome(error, progress));
  const exitCode = await endRun({ ...step, env: jobEnvironment, files, outcome, ...progress });
  // A capability that nobody needs any more is worth nothing to whoever finds it; it would end by itself soon.
  if (progress.grant !== null && !service.isEmbedded && outcome.type !== "stopping") {
    await step.client.revoke({ signal: AbortSignal.timeout(REVOKE_MS) }).catch(() => {});
  }
  return exitCode;
}

async function executeRun(step: Step): Promise<Outcome> {
  const { interrupts, service, client, progress } = step;
  const { agent_id: agentId } = await step.grant(interrupts.first);
  interrupts.first.throwIfAborted();
  progress.isSubmitting = true;
  const submitted = await submit(step, agentId);
  const { runId, sessionId } = submitted;
  const url = `${service.baseUrl}/v1/ci/runs/${encodeURIComponent(runId)}`;
  progress.run = { id: runId, url: service.isEmbedded ? null : url, sessionId };
  progress.isSubmitting = false;
  if (!service.isEmbedded) announce(step, { runId, url, attached: submitted.attached });
  return await follow(step, { client, agentId, runId, url });
}

async function submit({ settings, interrupts, service, client }: Step, agentId: string) {
  const { prompt, sessionId, maxTurnTokens, outputSchema } = settings;
  const body = {
    message: prompt,
    ...(sessionId === null ? {} : { session_id: sessionId }),
    ...(maxTurnTokens === null ? {} : { max_turn_tokens: maxTurnTokens }),
    ...(outputSchema ? { output_schema: outputSchema } : {}),
  };
  const { job } = service;
  if (job !== null) {
    return await submitOnce({ client, agentId, body, job, matrix: "", signal: interrupts.last });
  }
  const { runId, sessionId: session } = await client.submitRun({ agentId, body, signal: interrupts.last });
  return { runId, sessionId: session, attached: false };
}

async function follow(
  { settings, interrupts, log }: Step,
  run: { client: JobClient; agentId: string; runId: string; url: string },
): Promise<Outcome> {
  const end = await watchRun({
    ...run,
    interrupts,
    onCancel: settings.onCancel,
    timeoutMs: settings.timeoutMs,
    idleMs: settings.idleMs,
    clock: systemClock,
    onEvent: log.add,
    onNote: note,
  });
  switch (end.type) {
    case "ended":
      return { ...end, detail: log.failure() };
    case "stopping":
      return end;
    case "detached":
      return { type: "detached", runUrl: run.url, interrupted: true };
  }
}

/** The client of the service, with a capability that is made anew when it ends. */
function connect(service: RunService, progress: Progress): Pick<Step, "client" | "grant"> {
  const capability = createCapability({
    provider: service.tokens,
    audience: service.audience,
    account: service.account,
    sha: service.sha,
    exchange: (options) => client.exchange(options),
    // Not every CI can hide a value that a job names: ours are never printed.
    setSecret: () => {},
    onGrant: (grant) => {
      progress.grant = grant;
    },
  });
  const client = createJobClient({
    baseUrl: service.baseUrl,
    credential: capability,
    userAgent: `agent-service-command/${version}`,
    onRetry: noteRetry,
  });
  return { client, grant: capability.grant };
}

async function openFiles(settings: RunSettings, service: RunService): Promise<RunFiles | typeof noFiles> {
  const folder = settings.outputDir ?? (service.job === null ? null : DEFAULT_OUTPUT_DIR);
  return folder === null ? noFiles : await openRunFiles(folder);
}

function openLog(options: {
  settings: RunSettings;
  service: RunService;
  files: Pick<RunFiles, "appendEvents">;
}): FollowLog {
  const { settings, service, files } = options;
  const provider = service.job?.provider ?? null;
  const isJson = settings.format === "ndjson";
  const write = (text: string) => void process.stdout.write(text);
  return openFollowLog({
    files: {
      appendEvents: async (lines) => {
        if (isJson) write(lines);
        await files.appendEvents(lines);
      },
    },
    format: logFormat(provider),
    write: isJson ? () => {} : write,
  });
}

/** Before anything can fail: whoever reads the log must be able to find the run. */
function announce({ settings }: Step, run: { runId: string; url: string; attached: boolean }): void {
  const id = singleLine(run.runId, 100);
  const what = run.attached ? `Attached to run ${id} that was started earlier.` : `Run ${id}`;
  if (settings.format === "text") process.stdout.write(`${what}\nFollow it at ${run.url}\n`);
  else note(`${what} at ${run.url}`);
}

function failedOutcome(error: unknown, { isSubmitting }: Progress): Outcome {
  if (error instanceof InterruptedError) return { type: "interrupted", submitting: isSubmitting };
  return { type: "error", error };
}
