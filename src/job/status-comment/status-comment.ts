// The status comment: a reaction to the request, and one comment on the issue, pull request or discussion, which
// follows the run.
// Why: docs/decisions/023-one-comment-a-request.md

import type { Clock } from "../../base/clock.ts";
import { type CommentContext, type EndedContext, renderEnd, renderProgress } from "../../render/comment.ts";
import { emptyReport, type RunReport } from "../../report/run-report.ts";
import { CodeHostError } from "../code-host/code-host-error.ts";
import type { RequestReaction, StatusPlace } from "./comment-place.ts";
import { HostComment } from "./host-comment.ts";

/** Between two edits; longer each time, because code hosts limit writes by the hour. */
const FIRST_INTERVAL_MS = 4_000;
const MAX_INTERVAL_MS = 60_000;
const INTERVAL_FACTOR = 1.5;

/** Timeouts of the last edit. A runner gives a cancelled step 7.5 s, and the step has more to write. */
const END_TIMEOUT_MS = 60_000;
const CANCELLED_TIMEOUT_MS = 1_500;

type StatusCommentOptions = {
  /** Called once. The signal aborts when the last edit has timed out. */
  readonly openPlace: (signal: AbortSignal) => StatusPlace;
  /** The hidden line by which the comment is found again. */
  readonly marker: string;
  /** True where an earlier attempt may have created the comment. */
  readonly mayExist: boolean;
  /** The page that has the log. */
  readonly jobUrl: string;
  /** The login of whose command it is, to be told at the end; null for nobody. */
  readonly mention: string | null;
  /** The longest comment that the code host takes, with the marker; left out: GitHub's. */
  readonly maxBytes?: number | undefined;
  readonly clock: Clock;
  /** Why nothing can be written, and what to change. */
  readonly explain: (cause: CodeHostError) => string;
  readonly onWarning: (message: string) => void;
};

/** The end of the step. Without a run the report is null. */
export type StatusEnd = Omit<EndedContext, keyof CommentContext | "mention"> & {
  readonly report: RunReport | null;
  /** Aborts when the job is cancelled. */
  readonly hurry: AbortSignal;
};

/** A run that has begun, with its address and that of its events for the API. */
type BegunRun = { readonly id: string; readonly url: string | null; readonly apiUrl: string | null };

/** Nothing here rejects: a failed write gives one warning, and changes no conclusion. */
export interface StatusComment {
  /** Reacts to the request with "👀", so that its author sees that it arrived. Does not wait. */
  acknowledge(): void;
  /** The run exists. Does not wait for the write. */
  begin(run: BegunRun): void;
  /** The run made progress. Written at most every few seconds, and only where the text has changed. */
  update(report: RunReport): void;
  /** Writes the end, after all pending writes, with a mention of who asked, and reacts to the request by how it ended. Returns the address of the comment, null where there is none. */
  conclude(end: StatusEnd): Promise<string | null>;
}

/** Sends nothing until the first call. */
export function openStatusComment(options: StatusCommentOptions): StatusComment {
  return new OpenStatusComment(options);
}

class OpenStatusComment implements StatusComment {
  readonly #options: StatusCommentOptions;
  readonly #comment: HostComment;
  readonly #reaction: RequestReaction | null;
  /** Aborts the wait between edits: the end is written at once. */
  readonly #ending = new AbortController();
  readonly #expired = new AbortController();
  #runId: string | null = null;
  #runUrl: string | null = null;
  /** The next text; rendered when it is written. */
  #next: (() => string) | null = null;
  #written: string | null = null;
  #writing: Promise<void> | null = null;
  #reacting: Promise<void> = Promise.resolve();
  #intervalMs = FIRST_INTERVAL_MS;
  #isDisabled = false;

  constructor(options: StatusCommentOptions) {
    const { marker, mayExist } = options;
    this.#options = options;
    const { comment: place, reaction } = options.openPlace(this.#expired.signal);
    this.#reaction = reaction;
    this.#comment = new HostComment({ place, marker, mayExist });
  }

  acknowledge(): void {
    if (this.#reaction === null) return;
    this.#reacting = this.#reaction.acknowledge().catch((cause: unknown) => this.#fail(cause));
  }

  begin({ id, url, apiUrl }: BegunRun): void {
    this.#runId = id;
    // Nobody reads the API in a browser.
    this.#runUrl = url === apiUrl ? null : url;
    this.#queue(() => renderProgress(null, this.#context()));
  }

  update(report: RunReport): void {
    this.#queue(() => renderProgress(report, this.#context()));
  }

  async conclude({ report, hurry, ...end }: StatusEnd): Promise<string | null> {
    this.#ending.abort();
    const mention = end.conclusion === "detached" ? null : this.#options.mention;
    this.#queue(() => renderEnd(report ?? emptyReport(), { ...this.#context(), ...end, mention }));
    const reacted = this.#reacting.then(() => this.#reaction?.conclude(end.conclusion, end.reason));
    const isDone = Promise.all([reacted.catch((cause: unknown) => this.#fail(cause)), this.#writing]);
    const done = new AbortController();
    const isLate = this.#timedOut(hurry, done.signal).then(() => this.#expired.abort());
    await Promise.race([isDone.finally(() => done.abort()), isLate]);
    return this.#comment.url;
  }

  async #timedOut(hurry: AbortSignal, done: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    await clock.sleep(END_TIMEOUT_MS, AbortSignal.any([hurry, done])).catch(() => {});
    if (hurry.aborted) await clock.sleep(CANCELLED_TIMEOUT_MS, done).catch(() => {});
  }

  #context(): CommentContext {
    const { jobUrl, maxBytes } = this.#options;
    return { jobUrl, runId: this.#runId, runUrl: this.#runUrl, maxBytes };
  }

  #queue(text: () => string): void {
    if (this.#isDisabled) return;
    this.#next = text;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  /** One write at a time. Of the texts queued meanwhile only the newest is written. */
  async #write(): Promise<void> {
    while (this.#next !== null && !this.#isDisabled) {
      const text = this.#next();
      this.#next = null;
      if (text !== this.#written) {
        await this.#comment.write(text).catch((cause: unknown) => this.#fail(cause));
        this.#written = text;
      }
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    await this.#options.clock.sleep(this.#intervalMs, this.#ending.signal).catch(() => {});
    this.#intervalMs = Math.min(MAX_INTERVAL_MS, this.#intervalMs * INTERVAL_FACTOR);
  }

  /** An unavailable code host may answer the next write. One that refuses will refuse that, too. */
  #fail(cause: unknown): void {
    if (this.#expired.signal.aborted) {
      this.#isDisabled = true;
      return;
    }
    if (!(cause instanceof CodeHostError)) throw cause;
    const isLast = this.#ending.signal.aborted;
    if (cause.code === "code_host_unavailable" && !isLast) return;
    if (!this.#isDisabled) this.#options.onWarning(this.#options.explain(cause));
    this.#isDisabled = true;
  }
}
