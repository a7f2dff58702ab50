// What the agent is asked: the text given, a file of the repository, or a question that fits the event; with what
// happened, where people's words came with it.

import { readFile } from "node:fs/promises";
import { systemClock } from "../base/clock.ts";
import type { CiJob, Environment } from "../ci/provider.ts";
import type { RetryNotice } from "../client/retry.ts";
import type { Transport } from "../client/transport.ts";
import type { Inputs } from "./inputs.ts";
import { Declined } from "./trigger/declined.ts";
import { isRemark, remarkCommand } from "./trigger/remark-command.ts";

export type PromptOptions = {
  readonly inputs: Inputs;
  readonly job: CiJob;
  readonly env: Environment;
  readonly transport: Transport;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

/**
 * The prompt of this job. Rejects with Declined when the event may start no run, and with PromptFileError when a
 * prompt file cannot be trusted or read.
 */
export async function decidePrompt(options: PromptOptions): Promise<string> {
  const { inputs, job } = options;
  const isTalk = isRemark(job.event) || /^(issues|pull_request|pull_request_target)$/.test(job.event);
  refuseWithoutServer(inputs, job);
  if (!isTalk) return (await readAsked(options)) ?? defaultPrompt(job.event);
  const payload = await readPayload(options.env);
  const command = isRemark(job.event) ? remarkCommand(job.event, payload, inputs.triggerPhrase) : null;
  const { talkPrompt } = await import("./trigger/talk-prompt.ts");
  return await talkPrompt({
    ...options,
    clock: systemClock,
    random: Math.random,
    payload,
    command,
    readAsked: () => readAsked(options),
  });
}

/** What a job without a prompt asks, where nobody's words came with the event. Pure. */
export function defaultPrompt(event: string): string {
  return event.startsWith("pull_request")
    ? "Review what this pull request changes"
    : "Brief me on this repository";
}

/** Null where the workflow leaves the question to the event. */
async function readAsked(options: PromptOptions): Promise<string | null> {
  const { prompt, githubToken } = options.inputs;
  switch (prompt.from) {
    case "text":
      return prompt.text;
    case "file": {
      const { readPromptFile } = await import("./prompt-file.ts");
      return readPromptFile({ ...options, path: prompt.path, githubToken });
    }
    case "event":
      return null;
  }
}

/** A payload that cannot be read is one without the fields that its event has. */
async function readPayload(env: Environment): Promise<unknown> {
  try {
    return JSON.parse(await readFile(env.GITHUB_EVENT_PATH ?? "", "utf8"));
  } catch {
    return null;
  }
}

/** A service that somebody runs refuses these by its own policy. */
function refuseWithoutServer({ service }: Inputs, { event }: CiJob): void {
  if (service.type === "remote" || !["pull_request_target", "workflow_run"].includes(event)) return;
  throw new Declined(
    "event_refused",
    `Nothing runs for "${event}" inside a job: it brings an outsider's code to the repository's own tokens. ` +
      'Use "pull_request", "push", "schedule" or "workflow_dispatch".',
  );
}
