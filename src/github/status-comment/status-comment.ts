// What the step says on the issue or the pull request that it is about: a reaction to the request, and one comment that
// is kept up to date while the run goes on.

import type { Clock } from "../../base/clock.ts";
import type { CiJob, Environment } from "../../ci/provider.ts";
import { type CommentContext, type EndedContext, renderEnd, renderProgress } from "../../render/comment.ts";
import { emptyReport, type RunReport } from "../../report/run-report.ts";
import { type GitHubApi, GitHubError } from "../api/github-api.ts";
import type { Talk } from "../trigger/agent-request.ts";
import { ThreadComment } from "./host-comment.ts";
import { commentMarker } from "./marker.ts";
import { react } from "./reaction.ts";

/** Between two edits; longer each time, as GitHub counts what is written by the hour. */
const FIRST_INTERVAL_MS = 4_000;
const MAX_INTERVAL_MS = 60_000;
const INTERVAL_FACTOR = 1.5;

/** How long anybody can wait for the last word: a runner waits 7.5 s for a cancelled step, which has more to write. */
const PATIENT_MS = 60_000;
const HURRIED_MS = 1_500;

export type StatusCommentOptions = {
  /** Called once. The signal aborts when nobody can wait any longer. */
  readonly openApi: (signal: AbortSignal) => GitHubApi;
  readonly talk: Talk;
  readonly job: CiJob;
  readonly env: Environment;
  /** The job's leg, as JSON. */
  readonly matrix: string;
  readonly clock: Clock;
  /** What a maintainer should know: that it may not write here, and which permission it lacks. */
  readonly onWarning: (message: string) => void;
};

/** How the run ended. Without a run the report is null. */
export type LastWord = Omit<EndedContext, keyof CommentContext> & {
  readonly report: RunReport | null;
  /** Aborts when the job is cancelled. */
  readonly hurry: AbortSignal;
};

/** Nothing here rejects: what cannot be said is warned of once, and changes no conclusion. */
export interface StatusComment {
  /** Reacts to the request, so that its author sees that it was heard. Does not wait for it. */
  acknowledge(): void;
  /** The run exists. Does not wait for what is written. */
  begin(run: { readonly id: string }): void;
  /** The run went on. Written at most every few seconds, and only where the text is another. */
  update(report: RunReport): void;
  /** Writes the last word, after all that was begun. Returns the address of the comment, null where there is none. */
  conclude(word: LastWord): Promise<string | null>;
}

/** Opens nothing until it has something to say. */
export function openStatusComment(options: StatusCommentOptions): StatusComment {
  return new OpenStatusComment(options);
}

class OpenStatusComment implements StatusComment {
  readonly #options: StatusCommentOptions;
  readonly #api: GitHubApi;
  readonly #comment: ThreadComment;
  readonly #jobUrl: string;
  readonly #over = new AbortController();
  readonly #tooLate = new AbortController();
  #runId: string | null = null;
  /** What is to be written next; rendered only then. */
  #next: (() => string) | null = null;
  #written: string | null = null;
  #writing: Promise<void> | null = null;
  #reacting: Promise<void> = Promise.resolve();
  #intervalMs = FIRST_INTERVAL_MS;
  #isMute = false;

  constructor(options: StatusCommentOptions) {
    const { talk, job, env } = options;
    this.#options = options;
    this.#api = options.openApi(this.#tooLate.signal);
    this.#comment = new ThreadComment({
      api: this.#api,
      talk,
      marker: commentMarker(options),
      mayExist: talk.remark === null || job.attempt !== 1,
    });
    this.#jobUrl = `${env.GITHUB_SERVER_URL ?? "https://github.com"}/${job.repository.name}/actions/runs/${job.runId}`;
  }

  acknowledge(): void {
    this.#reacting = react(this.#api, this.#options.talk).catch((cause: unknown) => this.#mute(cause));
  }

  begin({ id }: { id: string }): void {
    this.#runId = id;
    this.#say(() => renderProgress(null, this.#context()));
  }

  update(report: RunReport): void {
    this.#say(() => renderProgress(report, this.#context()));
  }

  async conclude({ report, hurry, ...end }: LastWord): Promise<string | null> {
    this.#over.abort();
    this.#say(() => renderEnd(report ?? emptyReport(), { ...this.#context(), ...end }));
    const isDone = Promise.all([this.#reacting, this.#writing]);
    const done = new AbortController();
    const isLate = this.#timedOut(hurry, done.signal).then(() => this.#tooLate.abort());
    await Promise.race([isDone.finally(() => done.abort()), isLate]);
    return this.#comment.url;
  }

  async #timedOut(hurry: AbortSignal, done: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    await clock.sleep(PATIENT_MS, AbortSignal.any([hurry, done])).catch(() => {});
    if (hurry.aborted) await clock.sleep(HURRIED_MS, done).catch(() => {});
  }

  #context(): CommentContext {
    return { jobUrl: this.#jobUrl, runId: this.#runId };
  }

  #say(text: () => string): void {
    if (this.#isMute) return;
    this.#next = text;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  /** One after the other: what comes while one is written is written next, and only the newest. */
  async #write(): Promise<void> {
    while (this.#next !== null && !this.#isMute) {
      const text = this.#next();
      this.#next = null;
      if (text !== this.#written) {
        await this.#comment.write(text).catch((cause: unknown) => this.#mute(cause));
        this.#written = text;
      }
      await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    await this.#options.clock.sleep(this.#intervalMs, this.#over.signal).catch(() => {});
    this.#intervalMs = Math.min(MAX_INTERVAL_MS, this.#intervalMs * INTERVAL_FACTOR);
  }

  /** A forge that stumbles may be well again for the next word; one that refuses will refuse that, too. */
  #mute(cause: unknown): void {
    if (this.#tooLate.signal.aborted) {
      this.#isMute = true;
      return;
    }
    if (!(cause instanceof GitHubError)) throw cause;
    const isLast = this.#over.signal.aborted;
    if (cause.code === "code_host_unavailable" && !isLast) return;
    if (!this.#isMute) this.#options.onWarning(explain(cause, this.#options.talk));
    this.#isMute = true;
  }
}

function explain({ code, status, message }: GitHubError, { thread }: Talk): string {
  if (code === "code_host_unavailable")
    return `The answer could not be written on #${thread.number}. ${message}`;
  const isDenied = status === 403 || status === 404 || status === 401;
  const permission = thread.isPullRequest ? "pull-requests: write" : "issues: write";
  const fix = isDenied
    ? `Give the job "permissions: ${permission}", or the step "comment: false".`
    : 'Give the step "comment: false" to go without.';
  return `Nothing is written on #${thread.number}. ${message} ${fix}`;
}
