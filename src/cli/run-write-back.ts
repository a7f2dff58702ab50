// Writes of the job of `agent-service run` on a code host for its run: a comment that follows it, its changes, its review.
// Why: docs/decisions/183-gitlab-writes-back.md, docs/decisions/188-bitbucket-writes-back.md

import { createHash } from "node:crypto";
import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { CiJob } from "../ci/provider.ts";
import { type CiProviderName, ciProviders } from "../contract/ci/providers.ts";
import { CodeHostError } from "../job/code-host/code-host-error.ts";
import type { JobHost } from "../job/code-host/job-host.ts";
import type { Ending } from "../job/ending.ts";
import { reviewSchema } from "../job/findings/findings-schema.ts";
import { memoryText } from "../job/findings/memory-text.ts";
import { pullDiffText } from "../job/findings/pull-diff-text.ts";
import { reviewedPathsText } from "../job/findings/reviewed-paths.ts";
import type { HandedOver, JobTypes } from "../job/job-types.ts";
import type { Following, JobRun } from "../job/progress.ts";
import { endedText } from "../job/status-comment/ended-text.ts";
import type { StatusComment } from "../job/status-comment/status-comment.ts";
import { StepError } from "../job/step-error.ts";
import type { Delivery } from "../report/delivery.ts";
import type { RunReport } from "../report/run-report.ts";
import { UsageError } from "./flags.ts";
import { note } from "./run-notes.ts";
import {
  type OpenedWriteBack,
  OwnPush,
  type Write,
  type WriteBackHost,
  type WriteBackPlace,
} from "./write-back-host.ts";
import {
  nothingPrepared,
  type PreparedWriteBack,
  type ReviewSettings,
  type WriteBackSettings,
} from "./write-back-settings.ts";

/** Each is loaded in its own jobs alone. */
const hosts: Partial<Record<CiProviderName, (place: WriteBackPlace) => Promise<WriteBackHost>>> = {
  gitlab: async (place) => (await import("./gitlab-write-back.ts")).gitlabWriteBack(place),
  bitbucket: async (place) => (await import("./bitbucket-write-back.ts")).bitbucketWriteBack(place),
};

export type WritingJob = {
  readonly env: Environment;
  readonly job: CiJob | null;
  readonly service: "remote" | "embedded";
};

/** Null where the job writes nothing. Sends nothing. Rejects with UsageError for jobs that cannot write at all. */
export async function openWriteBack(
  settings: WriteBackSettings,
  { env, job, service }: WritingJob,
): Promise<WriteBack | null> {
  const open = job === null ? undefined : hosts[job.provider];
  if (job === null || open === undefined) throw new UsageError(elsewhere(job));
  const place = { env, job, service };
  const host = await open(place);
  if (host.isFork) {
    // A service's job starts no run at all.
    if (service === "embedded") note(host.forkText);
    return null;
  }
  if (host.lack !== null) {
    const gate = gateText(settings, host.lack);
    if (gate !== null) throw new UsageError(gate);
    note(`Nothing is written on ${host.title}: ${host.lack}`);
    return null;
  }
  return new WriteBack(settings, { ...place, title: host.title, opened: host.open() });
}

function elsewhere(job: CiJob | null): string {
  const how =
    "--comment, --changes commit or pull-request, and --findings review are for jobs of GitLab CI and Bitbucket Pipelines; on GitHub the Action does it, with inputs of these names. Leave them out";
  return job === null
    ? `${how}: this is no job of a CI system that is known.`
    : `${how} on ${ciProviders[job.provider].title}.`;
}

/** A gate that cannot know what earlier reviews left would open. Null without one. */
function gateText({ review }: WriteBackSettings, lack: string): string | null {
  if (review === null || review.threshold === null) return null;
  return `--fail-on-severity ${review.threshold} cannot be judged. ${lack}`;
}

/** Ends the job before anything is spent. */
class UnjudgedGate extends StepError {}

function refuseGate(settings: WriteBackSettings, lack: string): void {
  const gate = gateText(settings, lack);
  if (gate !== null) throw new UnjudgedGate("code_host_refused", gate);
}

type Place = WriteBackPlace & { readonly title: string; readonly opened: OpenedWriteBack };

/** One for a job. Calls come in the order of the recipe. */
export class WriteBack {
  readonly #settings: WriteBackSettings;
  readonly #place: Place;
  #host: JobHost | null = null;
  #changes: WriteBackSettings["changes"] = null;
  #review: ReviewSettings | null = null;
  #hasStatus = false;
  #status: StatusComment | null = null;
  #sessionKey: string | undefined;
  #commentUrl: string | null = null;

  constructor(settings: WriteBackSettings, place: Place) {
    this.#settings = settings;
    this.#place = place;
  }

  /** Asks what the token can do, and reads what earlier reviews left, before anything is spent. Rejects with StepError. */
  async prepare(signal: AbortSignal): Promise<PreparedWriteBack> {
    try {
      const host = await this.#open(signal);
      if (host === null) return nothingPrepared;
      this.#host = host;
      return await this.#prepared(host);
    } catch (cause) {
      signal.throwIfAborted();
      if (!StepError.is(cause) || cause instanceof UnjudgedGate || cause instanceof OwnPush) throw cause;
      refuseGate(this.#settings, cause.message);
      note(`Nothing is written on ${this.#place.title}. ${cause.message}`);
      this.#host = null;
      return nothingPrepared;
    }
  }

  async #open(signal: AbortSignal): Promise<JobHost | null> {
    const { number, askToken } = this.#place.opened;
    const token = await askToken(signal);
    if (token.warning !== null) note(token.warning);
    const may = (write: Write): boolean => {
      const lack = token.lackOf(write);
      if (lack !== null) {
        if (write === "review") refuseGate(this.#settings, lack);
        note(lack);
      }
      return lack === null;
    };
    const mayPush = (): boolean => {
      if (token.pushRefusal !== null) note(token.pushRefusal);
      return token.pushRefusal === null;
    };
    const { comment, changes, review } = this.#settings;
    const hasComment = comment && number !== null && may("comment");
    this.#changes = changes !== null && mayPush() && may(changes) ? changes : null;
    this.#review = review !== null && may("review") ? review : null;
    this.#hasStatus = this.#review?.commitStatus === true && may("status");
    if (!hasComment && this.#changes === null && this.#review === null) return null;
    const host = await token.openHost();
    if (hasComment) this.#status = host?.openComment() ?? null;
    return host;
  }

  async #prepared(host: JobHost): Promise<PreparedWriteBack> {
    const { service } = this.#place;
    this.#sessionKey =
      this.#changes === null ? undefined : sessionKeyOf(this.#place, host.number, this.#changes);
    const common = {
      sessionKey: service === "remote" ? this.#sessionKey : undefined,
      writes: true,
    };
    const review = this.#review;
    if (review === null) return { ...nothingPrepared, ...common };
    const { text, openIds } = await this.#readEarlier(host, review);
    return { ...common, text, outputSchema: reviewSchema(openIds), isReview: true };
  }

  /** What a review is told, and the findings that it answers. */
  async #readEarlier(
    host: JobHost,
    { reviewed }: ReviewSettings,
  ): Promise<{ readonly text: string; readonly openIds: readonly string[] }> {
    const { job, opened } = this.#place;
    const memory = await host.readMemory(reviewed).catch((cause: unknown) => {
      if (!(cause instanceof CodeHostError)) throw cause;
      note(`The agent is not told what earlier reviews found: that could not be read. ${cause.message}`);
      return null;
    });
    const diff = await host.readDiff().catch((cause: unknown) => {
      if (!(cause instanceof CodeHostError)) throw cause;
      note(`The agent is not shown what the pull request changes: that could not be read. ${cause.message}`);
      return "";
    });
    const fence = { seed: job.runId, what: opened.whatPeopleWrote };
    const parts = [
      ...reviewedPathsText(reviewed),
      ...(diff === "" ? [] : [pullDiffText(diff, fence)]),
      ...(memory === null ? [] : [memoryText(memory, fence)]),
    ];
    const open = memory?.findings.filter(({ state }) => state === "open") ?? [];
    return { text: parts.join("\n\n"), openIds: open.map(({ id }) => id) };
  }

  begin(run: JobRun): void {
    this.#status?.begin(run);
  }

  update(report: RunReport): void {
    this.#status?.update(report);
  }

  /** Never rejects for what a maintainer can cause. `prompt` is the workflow's. */
  async handOver(
    { run, log, service }: Following<JobTypes>,
    prompt: string,
  ): Promise<Pick<HandedOver, "delivery" | "findings">> {
    const host = this.#host;
    if (host === null) return { delivery: null, findings: null };
    const { changes, output } = log.report;
    const findings =
      this.#review === null
        ? null
        : await host.publishFindings({
            reviewed: this.#review.reviewed,
            threshold: this.#review.threshold,
            output,
            run,
            statusName: this.#hasStatus ? `agent-service/${this.#place.opened.jobName}` : null,
          });
    if (this.#changes === null) return { delivery: null, findings };
    if (changes === null) return { delivery: { type: "none" }, findings };
    const delivery = await host.deliverChanges({
      mode: this.#changes,
      changes,
      // A service inside the job has no session of earlier runs: the key finds the pull request that they opened.
      run: { ...run, sessionId: (service.type === "embedded" ? this.#sessionKey : null) ?? run.sessionId },
      reply: log.reply(),
      prompt,
      branchPrefix: this.#settings.branchPrefix,
    });
    return { delivery, findings };
  }

  /** The changes of a run that was cut stay in the patch. */
  withhold({ log }: Following<JobTypes>): Delivery | null {
    if (this.#changes === null || (log.report.changes?.patch ?? "") === "") return null;
    return { type: "withheld", message: "Nothing was pushed. The file changes.patch has the changes." };
  }

  /** The last text of the comment. */
  async conclude(ending: Ending, hurry: AbortSignal): Promise<void> {
    if (this.#status === null || this.#host === null || !("plan" in ending.progress)) return;
    const links = this.#host.fileLinks(ending.delivery);
    this.#commentUrl = await this.#status.conclude({ ...endedText(ending), links, hurry });
  }

  /** Tells the service where all of it is. Rejects with what hindered it. */
  async report(ending: Ending, signal: AbortSignal): Promise<void> {
    if (this.#host === null) return;
    const { reportDelivery } = await import("../job/report-delivery.ts");
    const reviewed = this.#review === null ? null : this.#host.number;
    await reportDelivery({ clock: systemClock, signal }, ending, { commentUrl: this.#commentUrl, reviewed });
  }
}

/** Later runs on the same pull request, or of the same job on the same branch, go on with one session. */
function sessionKeyOf(
  { job, opened }: Place,
  number: number | null,
  changes: NonNullable<WriteBackSettings["changes"]>,
): string | undefined {
  if (number !== null) return `thread-${number}`;
  if (changes !== "pull-request") return undefined;
  const place = [job.repository.id, ...opened.sessionPlace];
  return `job-${createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, 32)}`;
}
