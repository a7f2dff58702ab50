// What the step is asked, and where people talk about it: the text given, a file of the repository, or a question that
// fits the event; with what happened, where people's words came with it.

import { readFile } from "node:fs/promises";
import type { Inputs } from "../../action/inputs.ts";
import { systemClock } from "../../base/clock.ts";
import type { CiJob, Environment } from "../../ci/provider.ts";
import type { RetryNotice } from "../../client/retry.ts";
import type { Transport } from "../../client/transport.ts";
import type { Command } from "./command.ts";
import { Declined } from "./declined.ts";
import type { PullRequestEnds, RemarkTrigger, Thread } from "./github-trigger.ts";
import { isRemark, remarkCommand } from "./remark-command.ts";

/** The issue or the pull request that the event is about. Whoever caused the event was admitted. */
export type Talk = {
  readonly thread: Thread;
  /** Of a pull request: the commits that the words were about. */
  readonly ends: PullRequestEnds | null;
  /** The comment or review that asks; null where the event itself does. */
  readonly remark: {
    readonly type: RemarkTrigger["type"];
    readonly id: number;
    /** The comment at a line that this one replies to: GitHub takes replies to the first alone. */
    readonly firstId?: number | null;
  } | null;
  readonly command: Command | null;
};

export type Ask = {
  /** What the agent is asked. */
  readonly prompt: string;
  /** Null where nobody's words came with the event. */
  readonly talk: Talk | null;
};

export type AskOptions = {
  readonly inputs: Inputs;
  readonly job: CiJob;
  readonly env: Environment;
  readonly transport: Transport;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

/**
 * What this job asks. Rejects with Declined when the event may start no run, and with PromptFileError when a
 * prompt file cannot be trusted or read.
 */
export async function decideAsk(options: AskOptions): Promise<Ask> {
  const { inputs, job } = options;
  const isTalk = isRemark(job.event) || /^(issues|pull_request|pull_request_target)$/.test(job.event);
  refuseWithoutServer(inputs, job);
  if (!isTalk) return { prompt: (await readAsked(options)) ?? defaultPrompt(job.event), talk: null };
  const payload = await readPayload(options.env);
  const command = isRemark(job.event) ? remarkCommand(job.event, payload, inputs.triggerPhrase) : null;
  const { readTalk } = await import("./read-talk.ts");
  return await readTalk({
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
async function readAsked(options: AskOptions): Promise<string | null> {
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
