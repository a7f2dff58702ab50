// An event that people's words came with: decode it, admit who caused it, then say what happened.

import type { Inputs } from "../../action/inputs.ts";
import type { Clock } from "../../base/clock.ts";
import type { CiJob, Environment } from "../../ci/provider.ts";
import type { RetryNotice } from "../../client/retry.ts";
import type { Transport } from "../../client/transport.ts";
import { openGitHubApi } from "../api/open-github-api.ts";
import { type AdmitRules, admitIssue, admitPullRequest, admitRemark } from "./admit.ts";
import type { Ask, Talk } from "./agent-request.ts";
import { type Command, parseCommand } from "./command.ts";
import { Declined } from "./declined.ts";
import { type EarlierComment, type GitHubReader, githubReader } from "./github-reader.ts";
import { decodeTrigger, type PullRequestEnds, type Trigger, TriggerError } from "./github-trigger.ts";
import { noCommand } from "./remark-command.ts";
import { type TalkTrigger, triggerPrompt } from "./trigger-prompt.ts";

export type ReadTalkOptions = {
  readonly inputs: Inputs;
  readonly job: CiJob;
  readonly env: Environment;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  readonly payload: unknown;
  /** The command of a comment or review; null for every other event. */
  readonly command: Command | null;
  /** What the workflow asks; null where it leaves that to the event. Called once the event is admitted. */
  readonly readAsked: () => Promise<string | null>;
};

/** What is asked, and where. Rejects with Declined when the event may start no run. */
export async function readTalk(options: ReadTalkOptions): Promise<Ask> {
  const { inputs, job, readAsked } = options;
  const trigger = talkTrigger(job.event, options.payload);
  const command = trigger.type === "issues" ? issueCommand(trigger, inputs) : options.command;
  const forge = githubReader(openGitHubApi(options));
  const ends = await admit(trigger, forge, options);
  const firstId = trigger.type === "pull_request_review_comment" ? trigger.place.firstId : null;
  const remark = "remark" in trigger ? { type: trigger.type, id: trigger.remark.id, firstId } : null;
  const talk: Talk = { thread: trigger.thread, ends, remark, command };
  // Neither asks the agent for anything.
  if (command?.verb === "help" || command?.verb === "cancel") return { prompt: "", talk };
  const conversation = await earlierComments(trigger, forge);
  const asked = await readAsked();
  const prompt = triggerPrompt({
    trigger,
    asked,
    command,
    ends,
    conversation,
    repository: job.repository.name,
    seed: job.runId,
  });
  return { prompt, talk };
}

function talkTrigger(event: string, payload: unknown): TalkTrigger {
  const trigger = decode(event, payload);
  switch (trigger.type) {
    case "issue_comment":
    case "pull_request_review_comment":
    case "pull_request_review":
    case "issues":
    case "pull_request":
      return trigger;
    default:
      throw new RangeError(`The event "${event}" comes with nobody's words.`);
  }
}

function decode(event: string, payload: unknown): Trigger {
  try {
    return decodeTrigger(event, payload);
  } catch (cause) {
    if (!(cause instanceof TriggerError)) throw cause;
    throw new Declined("event_unreadable", `Nothing ran: ${cause.message} Re-run the job.`, { cause });
  }
}

/** An issue's own text asks only where the workflow does not, and only when it is new. */
function issueCommand(trigger: TalkTrigger, { prompt, triggerPhrase }: Inputs): Command | null {
  const { action, thread } = trigger;
  if (action === "labeled" || action === "assigned") return null;
  if (action !== "opened") {
    const message = `Nothing ran: an issue is worked on when it is opened, labeled or assigned, and this one was ${action}.`;
    throw new Declined("action_ignored", message);
  }
  const command = parseCommand(thread.body, triggerPhrase);
  if (command === null && prompt.from === "event") throw noCommand(triggerPhrase);
  return command;
}

/** What a remark is about; nobody asks for a pull request's conversation by opening it. */
async function earlierComments(
  trigger: TalkTrigger,
  forge: GitHubReader,
): Promise<readonly EarlierComment[]> {
  if (!("remark" in trigger)) return [];
  const { thread, remark } = trigger;
  const comments = await forge.comments(thread.number, remark);
  if (trigger.type !== "pull_request_review_comment" || trigger.place.firstId === null) return comments;
  // The nearest come last: of too many the first are left out.
  return [...comments, ...(await forge.lineComments(thread.number, trigger.place.firstId, remark))];
}

async function admit(
  trigger: TalkTrigger,
  forge: GitHubReader,
  { inputs, job }: ReadTalkOptions,
): Promise<PullRequestEnds | null> {
  const { allowUsers, allowBots, allowForks } = inputs;
  const rules: AdmitRules = { allowUsers, allowBots, allowForks };
  if (trigger.type === "pull_request") {
    // GitHub gives the job of a fork's pull request nothing to take, and without a server neither do we.
    const isHarmless = inputs.service.type === "embedded" && job.event === "pull_request";
    admitPullRequest(trigger, { rules, isHarmless });
    return trigger.ends;
  }
  if (trigger.type !== "issues") return await admitRemark(trigger, { rules, forge });
  await admitIssue(trigger, { rules, forge });
  return null;
}
