// agent-service run: a run of an agent on the checkout in this folder, by a service that lives as long as the run.

import { tmpdir } from "node:os";
import { jobEnvironment } from "../ci/environment.ts";
import { ApiError } from "../client/errors.ts";
import { createJobClient, type JobClient } from "../client/job-client.ts";
import {
  type EmbeddedService,
  EmbeddedSettingsError,
  findCheckout,
  startEmbeddedService,
} from "../service/embedded.ts";
import { SandboxError } from "../service/main.ts";
import { CommandError } from "./command-error.ts";
import { readFlags, takeArguments, UsageError } from "./flags.ts";
import { followToEnd } from "./follow.ts";

const USAGE = "run --embedded <prompt>";
const CANCEL_WAIT_MS = 10_000;

const flags = {
  embedded: { type: "boolean" },
  model: { type: "string" },
  "model-base-url": { type: "string" },
  "model-provider": { type: "string" },
  json: { type: "boolean" },
} as const;

/** Resolves to the exit code: 0 when the run completed, 1 when it failed or was cancelled. Throws UsageError. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, flags);
  if (values.embedded !== true) {
    throw new UsageError(
      "Jobs of other CI systems than GitHub cannot yet use a service. " +
        `On a checkout, without a service, it works today: agent-service ${USAGE}`,
    );
  }
  const [prompt = ""] = takeArguments(USAGE, positionals);
  const root = await findCheckout(process.cwd());
  if (root === null)
    throw new CommandError("There is no git checkout in this folder, nor above it. Change to one.");
  const service = await start(root, {
    ...setting("MODEL", values.model),
    ...setting("MODEL_BASE_URL", values["model-base-url"]),
    ...setting("MODEL_PROVIDER", values["model-provider"]),
  });
  try {
    if (!service.hasModel) note(NO_MODEL_TEXT);
    return await carryOut(service, { prompt, format: values.json === true ? "ndjson" : "text" });
  } finally {
    await service.close();
  }
}

const NO_MODEL_TEXT =
  "No model is configured, so the agent briefs you on the repository and does nothing else. " +
  "Set MODEL, MODEL_BASE_URL and MODEL_API_KEY, or --model and --model-base-url.";

async function start(root: string, model: Readonly<Record<string, string>>): Promise<EmbeddedService> {
  try {
    return await startEmbeddedService({
      job: {
        provider: "local",
        repository: { id: "0", ownerId: "0" },
        repositoryName: null,
        event: "local",
        sha: null,
        ref: null,
        baseRef: null,
        runId: "0",
        runAttempt: "1",
      },
      root,
      tempFolder: tmpdir(),
      environment: jobEnvironment,
      model,
      onWarning: note,
    });
  } catch (cause) {
    if (cause instanceof EmbeddedSettingsError) throw new UsageError(cause.message, { cause });
    if (cause instanceof SandboxError) throw new CommandError(cause.message, { cause });
    throw cause;
  }
}

async function carryOut(
  service: EmbeddedService,
  { prompt, format }: { prompt: string; format: "text" | "ndjson" },
): Promise<number> {
  let token: string | null = null;
  const grant = async () => {
    const granted = await client.exchange({ subjectToken: service.mintIdToken });
    token = granted.access_token;
    return granted;
  };
  const client = createJobClient({
    baseUrl: service.url,
    credential: {
      token: () => token,
      refresh: async () => {
        await grant();
      },
    },
    userAgent: "agent-service-command",
  });
  const { agent_id: agentId } = await grant();
  const { runId } = await client.submitRun({ agentId, body: { message: prompt } });
  const stop = new AbortController();
  const stopListening = onInterrupt(() => void cancel(client, { agentId, runId }), stop);
  try {
    return await followToEnd(client, { runId, format, signal: stop.signal, costs: "tokens" });
  } catch (cause) {
    if (stop.signal.aborted) return 1;
    throw cause;
  } finally {
    stopListening();
  }
}

async function cancel(client: JobClient, run: { agentId: string; runId: string }): Promise<void> {
  note("Cancelling the run.");
  try {
    await client.cancelRun({ ...run, signal: AbortSignal.timeout(CANCEL_WAIT_MS) });
  } catch (cause) {
    if (cause instanceof ApiError && cause.code === "run_finished") return;
    note(`The run could not be cancelled: ${cause instanceof Error ? cause.message : "unknown"}`);
  }
}

/** The first signal calls `begin`, a second one stops at once. Returns what ends the listening. */
function onInterrupt(begin: () => void, stop: AbortController): () => void {
  let isAsked = false;
  const hear = () => {
    if (isAsked) stop.abort();
    else begin();
    isAsked = true;
  };
  const names = ["SIGINT", "SIGTERM"] as const;
  for (const name of names) process.on(name, hear);
  return () => {
    for (const name of names) process.off(name, hear);
  };
}

function setting(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
