// The status comment on GitHub: its place, its marker, whom it mentions, and which permission it needs.

import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import type { CodeHostError } from "../../job/code-host/code-host-error.ts";
import {
  openStatusComment as openComment,
  type StatusComment,
} from "../../job/status-comment/status-comment.ts";
import type { GitHubApi } from "../api/github-api.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";
import { commentPlace } from "./comment-place.ts";
import { commentMarker } from "./marker.ts";
import { Reaction } from "./reaction.ts";

export type StatusCommentOptions = {
  /** Called once. The signal aborts when the last edit has timed out. */
  readonly openApi: (signal: AbortSignal) => GitHubApi;
  readonly subject: RequestSubject;
  readonly job: CiJob;
  readonly env: Environment;
  /** The job's matrix leg, as JSON. */
  readonly matrix: string;
  readonly clock: Clock;
  /** That nothing can be written, and which permission is missing. */
  readonly onWarning: (message: string) => void;
};

/** Sends nothing until the first call. */
export function openStatusComment(options: StatusCommentOptions): StatusComment {
  const { openApi, subject, job, env, clock, onWarning } = options;
  const isRepeated = job.attempt !== 1;
  return openComment({
    openPlace: (signal) => {
      const api = openApi(signal);
      const reaction = new Reaction(api, { subject, mayExist: isRepeated });
      return { comment: commentPlace(api, subject), reaction };
    },
    marker: commentMarker(options),
    mayExist: subject.comment === null || isRepeated,
    jobUrl: `${env.GITHUB_SERVER_URL ?? "https://github.com"}/${job.repository.name}/actions/runs/${job.runId}`,
    mention: mentionOf(subject),
    clock,
    explain: (cause) => explain(cause, subject),
    onWarning,
  });
}

function explain({ code, isDenied, message }: CodeHostError, subject: RequestSubject): string {
  const { number } = subject;
  if (code === "code_host_unavailable") return `The answer could not be written on #${number}. ${message}`;
  const fix = isDenied
    ? `Give the job "permissions: ${permissionFor(subject)}", or the step "comment: false".`
    : 'Give the step "comment: false" to go without.';
  return `Nothing is written on #${number}. ${message} ${fix}`;
}

function permissionFor({ isPullRequest, discussionId }: RequestSubject): string {
  if (discussionId !== undefined) return "discussions: write";
  return isPullRequest ? "pull-requests: write" : "issues: write";
}

/** As GitHub makes logins; those of its enterprises end with "_" and a short word. */
const LOGIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** The login of the user whose command it is. Null for a bot, which a mention could start, and where nobody asked. */
function mentionOf({ asker }: Pick<RequestSubject, "asker">): string | null {
  return asker !== null && !asker.isBot && LOGIN.test(asker.login) ? asker.login : null;
}
