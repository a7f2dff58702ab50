// The request of an event about an issue, a pull request or a discussion: decode the event, admit its author, then describe it.

import type { CiJob } from "../../ci/provider.ts";
import type { ReviewMemory } from "../../job/findings/review-memory.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { type AdmitRules, admitComment, admitIssue, admitPullRequest, isWriter } from "./admit.ts";
import type { AgentRequest, RequestInputs, RequestSubject } from "./agent-request.ts";
import { type CommentCommand, parseCommand } from "./command.ts";
import { noCommand } from "./comment-command.ts";
import { Declined } from "./declined.ts";
import { type EarlierComment, type GitHubReader, githubReader } from "./github-reader.ts";
import {
  decodeTrigger,
  type PullRequestRefs,
  type SubjectTrigger,
  type Trigger,
  TriggerError,
} from "./github-trigger.ts";
import { includedText } from "./included-text.ts";
import { refuseUnmatched } from "./matched-paths.ts";
import { continuationPrompt, triggerPrompt } from "./trigger-prompt.ts";

export type SubjectEvent = {
  readonly inputs: RequestInputs;
  readonly payload: unknown;
  /** The command of a comment, a review or a discussion; null for every other event. */
  readonly command: CommentCommand | null;
  /** The prompt of the workflow; null where it gives none. Called once the event is admitted. */
  readonly readPrompt: () => Promise<string | null>;
  readonly onNote: (note: string) => void;
};

type SubjectRequestOptions = SubjectEvent & { readonly api: GitHubApi; readonly job: CiJob };

/** The request and its subject. Rejects with Declined when the event may start no run. */
export async function readSubjectRequest(options: SubjectRequestOptions): Promise<AgentRequest> {
  const { inputs, job, readPrompt } = options;
  const trigger = subjectTrigger(job.event, options.payload);
  const command = trigger.type === "issues" ? issueCommand(trigger, inputs) : options.command;
  const reader = githubReader(options.api);
  const refs = await admit(trigger, reader, options);
  const firstId = trigger.type === "pull_request_review_comment" ? trigger.place.firstId : null;
  const node = trigger.type === "discussion_comment" ? { nodeId: trigger.nodeId } : {};
  const comment =
    "comment" in trigger ? { type: trigger.type, id: trigger.comment.id, firstId, ...node } : null;
  const author = "comment" in trigger ? trigger.comment.author : trigger.subject.author;
  const asker = command === null ? null : author;
  const subject: RequestSubject = { ...trigger.subject, refs, comment, command, asker };
  // These two are answered without the agent.
  if (command?.verb === "help" || command?.verb === "cancel") return { prompt: "", subject };
  if (command?.verb === "continue") {
    const mayRaise = asker !== null && (await isWriter(asker, reader));
    return { prompt: continuationPrompt(command), subject: { ...subject, mayRaise } };
  }
  const reviewed = isReviewRequest(subject, inputs) ? inputs : null;
  if (reviewed !== null) await refuseUnmatched(options.api, { number: subject.number, reviewed });
  const conversation = await earlierComments(trigger, reader);
  const { includeAuthors } = inputs;
  const included = await includedText({ trigger, conversation }, { reader, includeAuthors });
  const workflowPrompt = await readPrompt();
  const memory = reviewed === null ? null : await reviewMemory(options, subject);
  const prompt = triggerPrompt({
    trigger,
    workflowPrompt,
    command,
    refs,
    included,
    reviewed,
    memory,
    repository: job.repository.name,
    seed: job.runId,
  });
  const open = memory?.findings.filter(({ state }) => state === "open") ?? [];
  return { prompt, subject, earlierIds: open.map(({ id }) => id) };
}

/** What earlier reviews left. Without an answer of the code host the review goes on: what is open stays open. */
async function reviewMemory(
  { api, inputs, onNote }: SubjectRequestOptions,
  { number, refs }: RequestSubject,
): Promise<ReviewMemory | null> {
  if (inputs.findings !== "review" || inputs.mode !== "run" || refs === null) return null;
  const { readReviewMemory } = await import("../../job/findings/review-memory.ts");
  const isForWriters = inputs.includeAuthors === "writers";
  const { githubReviewsReader } = await import("../findings/github-reviews.ts");
  const host = githubReviewsReader(api);
  const reading = { host, number, headSha: refs.headSha, reviewed: inputs, isForWriters, onNote };
  return await readReviewMemory(reading).catch((cause: unknown) => {
    if (!(cause instanceof GitHubError)) throw cause;
    onNote(`The agent is not told what earlier reviews found: that could not be read. ${cause.message}`);
    return null;
  });
}

/** Whether its findings will be published. */
function isReviewRequest({ isPullRequest, command }: RequestSubject, { findings }: RequestInputs): boolean {
  return findings !== "none" && isPullRequest && (command === null || command.verb === "review");
}

function subjectTrigger(event: string, payload: unknown): SubjectTrigger {
  const trigger = decode(event, payload);
  switch (trigger.type) {
    case "issue_comment":
    case "pull_request_review_comment":
    case "pull_request_review":
    case "issues":
    case "pull_request":
    case "discussion":
    case "discussion_comment":
      return trigger;
    default:
      throw new RangeError(`The event "${event}" is about no issue, pull request or discussion.`);
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

/** The text of an issue is a request only when the issue is new. */
function issueCommand(
  trigger: SubjectTrigger,
  { prompt, triggerPhrase }: RequestInputs,
): CommentCommand | null {
  const { action, subject } = trigger;
  if (action === "labeled" || action === "assigned") return null;
  if (action !== "opened") {
    const message = `Nothing ran: an issue is worked on when it is opened, labeled or assigned, and this one was ${action}.`;
    throw new Declined("action_ignored", message);
  }
  const command = parseCommand(subject.body, triggerPhrase);
  if (command === null && prompt.from === "event") throw noCommand(triggerPhrase);
  return command;
}

/** The comments before a comment, as context. Other events need none. */
async function earlierComments(
  trigger: SubjectTrigger,
  reader: GitHubReader,
): Promise<readonly EarlierComment[]> {
  if (!("comment" in trigger)) return [];
  const { subject, comment } = trigger;
  if (trigger.type === "discussion_comment") return await reader.discussionComments(subject.number, comment);
  const comments = await reader.comments(subject.number, comment);
  if (trigger.type !== "pull_request_review_comment" || trigger.place.firstId === null) return comments;
  // The comments at the same line go last: of too many comments, the prompt leaves out the first.
  return [...comments, ...(await reader.lineComments(subject.number, trigger.place.firstId, comment))];
}

async function admit(
  trigger: SubjectTrigger,
  reader: GitHubReader,
  { inputs, job }: SubjectRequestOptions,
): Promise<PullRequestRefs | null> {
  const { allowUsers, allowBots, allowForks } = inputs;
  const rules: AdmitRules = { allowUsers, allowBots, allowForks };
  if (trigger.type === "pull_request") {
    // GitHub gives the job of a fork's pull request no secrets, and the embedded service adds none.
    const isHarmless = inputs.service.type === "embedded" && job.event === "pull_request";
    const isNamed = inputs.mode !== "run" || inputs.allowEvents.has(`pull_request.${trigger.action}`);
    await admitPullRequest(trigger, { rules, reader, isHarmless, isNamed });
    return trigger.refs;
  }
  if (trigger.type !== "issues" && trigger.type !== "discussion")
    return await admitComment(trigger, { rules, reader });
  await admitIssue(trigger, { rules, reader });
  return null;
}
