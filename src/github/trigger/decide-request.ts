// Decides the request of the step to the agent: the input "prompt", a file of the repository, or a prompt made from the event.

import { readFile } from "node:fs/promises";
import type { RetryNotice } from "../../base/backoff.ts";
import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import type { Transport } from "../../client/transport.ts";
import { eventRules } from "../../contract/ci/events.ts";
import { StepError } from "../../job/step-error.ts";
import type { CodeHost } from "../code-host.ts";
import type { AgentRequest, RequestInputs } from "./agent-request.ts";
import type { CommentCommand } from "./command.ts";
import { isCommentEvent, isNameable } from "./comment-event.ts";
import { Declined } from "./declined.ts";

type RequestOptions = {
  readonly inputs: RequestInputs;
  readonly job: CiJob;
  readonly env: Environment;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  readonly onNote: (note: string) => void;
};

/**
 * The request of this job. Rejects with Declined when the event may start no run, and with PromptFileError when a
 * prompt file cannot be trusted or read.
 */
export async function decideRequest(options: RequestOptions): Promise<AgentRequest> {
  const { inputs, job } = options;
  refuseWithoutServer(inputs, job);
  const { asks } = eventRules(job.provider, job.event);
  if (asks === "name") refuseUnnamed(inputs, job.event);
  if (asks !== "request") return await plainRequest(options);
  const isComment = isCommentEvent(job.event);
  const payload = await readPayload(options.env);
  const command = isComment ? await readCommand(options, payload) : null;
  if (isNameable(job.event) && command === null) return await plainRequest(options);
  const codeHost = await openCodeHost(options);
  return await codeHost.readSubjectRequest({
    inputs,
    payload,
    command,
    readPrompt: () => readPrompt(options),
    onNote: options.onNote,
  });
}

/** A request about nothing that the code host has. */
async function plainRequest(options: RequestOptions): Promise<AgentRequest> {
  return { prompt: (await readPrompt(options)) ?? defaultPrompt(options.job.event), subject: null };
}

/** Only jobs of comments load what reads one. Null for a text without a new command, whose event does without one. */
async function readCommand(
  { job, inputs }: RequestOptions,
  payload: unknown,
): Promise<CommentCommand | null> {
  const { commentCommand, isOwnText } = await import("./comment-command.ts");
  const { event } = job;
  try {
    return commentCommand(event, payload, inputs.triggerPhrase);
  } catch (cause) {
    const goesWithout = isNameable(event) && isNamed(inputs, event) && !isOwnText(event, payload);
    if (StepError.is(cause) && goesWithout) return null;
    throw cause;
  }
}

/** The prompt of a job without one, for events about no issue or pull request. Pure. */
export function defaultPrompt(event: string): string {
  return event.startsWith("pull_request")
    ? "Review what this pull request changes"
    : "Brief me on this repository";
}

async function openCodeHost({ inputs, ...access }: RequestOptions): Promise<CodeHost> {
  const codeHost = await import("../code-host.ts");
  return codeHost.openCodeHost({ ...access, token: inputs.githubToken });
}

/** Null where no input gives a prompt. */
async function readPrompt(options: RequestOptions): Promise<string | null> {
  const { job, env, inputs } = options;
  const { prompt } = inputs;
  switch (prompt.from) {
    case "text":
      return prompt.text;
    case "file": {
      const { readPromptFile } = await import("./prompt-file.ts");
      return await readPromptFile({
        path: prompt.path,
        job,
        env,
        readCommitted: async (place) => await (await openCodeHost(options)).readFile(place),
      });
    }
    case "event":
      return null;
  }
}

/** An unreadable payload counts as one without fields: decoding it then declines the event. */
async function readPayload(env: Environment): Promise<unknown> {
  try {
    return JSON.parse(await readFile(env.GITHUB_EVENT_PATH ?? "", "utf8"));
  } catch {
    return null;
  }
}

/** Whether the event is named; one that stops runs needs no name. */
function isNamed({ mode, allowEvents }: RequestInputs, event: string): boolean {
  return mode !== "run" || allowEvents.has(event);
}

/** Anybody can cause these events, and no text of theirs is a request. */
function refuseUnnamed(inputs: RequestInputs, event: string): void {
  if (isNamed(inputs, event)) return;
  throw new Declined(
    "event_not_named",
    `Nothing ran: anybody can cause the event "${event}". Name it in "allow-events" to let it start the agent.`,
  );
}

/** A hosted service refuses these events by its own policy. */
function refuseWithoutServer({ service }: RequestInputs, { provider, event }: CiJob): void {
  if (service.type === "remote" || !eventRules(provider, event).isRefused) return;
  throw new Declined(
    "event_refused",
    `Nothing runs for "${event}" inside a job: it brings an outsider's code to the repository's own tokens. ` +
      'Use "pull_request", "push", "schedule" or "workflow_dispatch".',
  );
}
