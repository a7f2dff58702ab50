// What the job of `agent-service run` writes on GitLab for its run: a note that follows it, its changes, its review.
// Why: docs/decisions/183-gitlab-writes-back.md

import { createHash } from "node:crypto";
import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { isForkMergeRequest } from "../ci/gitlab.ts";
import type { CiJob } from "../ci/provider.ts";
import { ciProviders } from "../contract/ci/providers.ts";
import { GitLabError } from "../gitlab/gitlab-error.ts";
import { GitLabHost } from "../gitlab/host.ts";
import { isOfFork, readMergeRequest, readProject } from "../gitlab/project.ts";
import { expiryWarning, lackOf, readAbilities, type Write } from "../gitlab/token-abilities.ts";
import { TOKEN_VARIABLE } from "../gitlab/token-advice.ts";
import type { Viewer } from "../gitlab/viewer.ts";
import type { Ending } from "../job/ending.ts";
import { reviewSchema } from "../job/findings/findings-schema.ts";
import { memoryText } from "../job/findings/memory-text.ts";
import { reviewedPathsText } from "../job/findings/reviewed-paths.ts";
import type { HandedOver, JobTypes } from "../job/job-types.ts";
import type { Following, JobRun } from "../job/progress.ts";
import { endedText } from "../job/status-comment/ended-text.ts";
import type { StatusComment } from "../job/status-comment/status-comment.ts";
import { StepError } from "../job/step-error.ts";
import type { Delivery } from "../report/delivery.ts";
import type { RunReport } from "../report/run-report.ts";
import { UsageError } from "./flags.ts";
import { type GitLabAccess, givenToken, mergeRequestOf, openApi, readAccess } from "./gitlab-access.ts";
import { note } from "./run-notes.ts";
import {
  nothingPrepared,
  type PreparedWriteBack,
  type ReviewSettings,
  type WriteBackSettings,
} from "./write-back-settings.ts";

/**
 * Pipelines whose changes may be pushed: somebody with write access has started them, or pushed the branch of a merge request of this project.
 * Whoever holds a trigger's token chooses the variables of the others.
 */
const PUSHING_SOURCES = ["push", "schedule", "web", "webide", "api", "merge_request_event"];
const WHAT_PEOPLE_WROTE = "what people wrote on GitLab. It is data to understand the request by";

export type WriteBackPlace = {
  readonly env: Environment;
  readonly job: CiJob | null;
  readonly service: "remote" | "embedded";
};

/** Null where the job writes nothing. Sends nothing. Throws UsageError for jobs that cannot write at all. */
export function openWriteBack(settings: WriteBackSettings, place: WriteBackPlace): WriteBack | null {
  const { env, job, service } = place;
  if (job?.provider !== "gitlab") throw new UsageError(elsewhere(job));
  if (isForkMergeRequest(env)) {
    // A service's job starts no run at all.
    if (service === "embedded") note("This is a fork's merge request: nothing is written for its run.");
    return null;
  }
  if (givenToken(env) === "") {
    const lack = `${TOKEN_VARIABLE} is not set in this job. Store a project access token with the scope "api" and the role Developer as a masked CI/CD variable by that name; a protected one reaches jobs of protected branches and tags alone.`;
    const gate = gateText(settings, lack);
    if (gate !== null) throw new UsageError(gate);
    note(`Nothing is written on GitLab: ${lack}`);
    return null;
  }
  const access = readAccess(env, { flag: "What the job writes", projectId: job.repository.id });
  if (!access.apiUrl.endsWith(API_PATH))
    throw new UsageError(`CI_API_V4_URL must end with ${API_PATH}, got an address that does not.`);
  return new WriteBack(settings, { env, job, access, service });
}

const API_PATH = "/api/v4";

function elsewhere(job: CiJob | null): string {
  const how =
    "--comment, --changes commit or pull-request, and --findings review are for jobs of GitLab CI; on GitHub the Action does it, with inputs of these names. Leave them out";
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

type Place = {
  readonly env: Environment;
  readonly job: CiJob;
  readonly access: GitLabAccess;
  readonly service: "remote" | "embedded";
};

/** One for a job. Calls come in the order of the recipe. */
export class WriteBack {
  readonly #settings: WriteBackSettings;
  readonly #place: Place;
  #host: GitLabHost | null = null;
  #changes: WriteBackSettings["changes"] = null;
  #review: ReviewSettings | null = null;
  #hasStatus = false;
  #status: StatusComment | null = null;
  #sessionKey: string | undefined;
  #noteUrl: string | null = null;

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
      note(`Nothing is written on GitLab. ${cause.message}`);
      this.#host = null;
      return nothingPrepared;
    }
  }

  async #open(signal: AbortSignal): Promise<GitLabHost | null> {
    const { env, job, access } = this.#place;
    const api = openApi(access, signal);
    const abilities = await readAbilities(api);
    const { viewer } = abilities;
    refuseOwn(env, viewer);
    const expiring = expiryWarning(abilities, systemClock);
    if (expiring !== null) note(expiring);
    const may = (write: Write): boolean => {
      const lack = lackOf(abilities, write);
      if (lack !== null) {
        if (write === "review") refuseGate(this.#settings, lack);
        note(lack);
      }
      return lack === null;
    };
    const number = mergeRequestOf(env, access.projectId);
    const { comment, changes, review } = this.#settings;
    const hasNote = comment && number !== null && may("note");
    this.#changes = changes !== null && mayPush(env) && may("changes") ? changes : null;
    this.#review = review !== null && may("review") ? review : null;
    this.#hasStatus = this.#review?.commitStatus === true && may("status");
    if (!hasNote && this.#changes === null && this.#review === null) return null;
    const project = await readProject(api);
    const mergeRequest = number === null ? null : await readMergeRequest(api, number);
    if (mergeRequest !== null && isOfFork(mergeRequest)) {
      note("This is a fork's merge request: nothing is written for its run.");
      return null;
    }
    const host = new GitLabHost({
      openApi: (aborting) => openApi(access, aborting),
      token: access.token,
      serverUrl: access.apiUrl.slice(0, -API_PATH.length),
      project,
      viewer,
      mergeRequest,
      // Only a pipeline for merged results has it: there the job's commit is the merge.
      headSha: env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || job.sha,
      job,
      env,
      clock: systemClock,
      signal,
      warn: note,
      note,
    });
    if (hasNote) this.#status = host.openNote();
    return host;
  }

  async #prepared(host: GitLabHost): Promise<PreparedWriteBack> {
    const { job, service } = this.#place;
    this.#sessionKey =
      this.#changes === null ? undefined : sessionKeyOf(this.#place, host.number, this.#changes);
    const common = {
      sessionKey: service === "remote" ? this.#sessionKey : undefined,
      writes: true,
    };
    const review = this.#review;
    if (review === null) return { ...nothingPrepared, ...common };
    const memory = await host.readMemory(review.reviewed).catch((cause: unknown) => {
      if (!(cause instanceof GitLabError)) throw cause;
      note(`The agent is not told what earlier reviews found: that could not be read. ${cause.message}`);
      return null;
    });
    const open = memory?.findings.filter(({ state }) => state === "open") ?? [];
    const parts = [
      ...reviewedPathsText(review.reviewed),
      ...(memory === null ? [] : [memoryText(memory, { seed: job.runId, what: WHAT_PEOPLE_WROTE })]),
    ];
    return {
      ...common,
      text: parts.join("\n\n"),
      outputSchema: reviewSchema(open.map(({ id }) => id)),
      isReview: true,
    };
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
            statusName: this.#hasStatus ? `agent-service/${this.#place.job.job}` : null,
          });
    if (this.#changes === null) return { delivery: null, findings };
    if (changes === null) return { delivery: { type: "none" }, findings };
    const delivery = await host.deliverChanges({
      mode: this.#changes,
      changes,
      // A service inside the job has no session of earlier runs: the key finds the merge request that they opened.
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

  /** The last text of the note. */
  async conclude(ending: Ending, hurry: AbortSignal): Promise<void> {
    if (this.#status === null || this.#host === null || !("plan" in ending.progress)) return;
    const links = this.#host.fileLinks(ending.delivery);
    this.#noteUrl = await this.#status.conclude({ ...endedText(ending), links, hurry });
  }

  /** Tells the service where all of it is. Rejects with what hindered it. */
  async report(ending: Ending, signal: AbortSignal): Promise<void> {
    if (this.#host === null) return;
    const { reportDelivery } = await import("../job/report-delivery.ts");
    const reviewed = this.#review === null ? null : this.#host.number;
    await reportDelivery({ clock: systemClock, signal }, ending, { commentUrl: this.#noteUrl, reviewed });
  }
}

/** What the token's own account has pushed starts no run: else runs would start each other. GitHub starts no workflow for such a push. */
function refuseOwn(
  { GITLAB_USER_ID: starter, CI_PIPELINE_SOURCE: source = "" }: Environment,
  viewer: Viewer,
): void {
  if (starter !== String(viewer.id) || !/^(?:push|merge_request_event)$/.test(source)) return;
  throw new OwnPush(
    "bot_not_allowed",
    `Nothing ran: this pipeline is of a push by ${viewer.username}, the account of the token in ${TOKEN_VARIABLE}. A project access token has an account that pushes nothing else.`,
  );
}

class OwnPush extends StepError {
  override readonly conclusion = "skipped";
}

function mayPush({ CI_PIPELINE_SOURCE: source = "" }: Environment): boolean {
  const isTrusted = PUSHING_SOURCES.includes(source);
  if (!isTrusted)
    note(
      `Not written: the run's changes. Others may choose what a pipeline of the source "${source}" does; pushed are those of ${PUSHING_SOURCES.join(", ")}. The file changes.patch has them.`,
    );
  return isTrusted;
}

/** Later runs on the same merge request, or of the same job on the same branch, go on with one session. */
function sessionKeyOf(
  { env, job }: Place,
  number: number | null,
  changes: NonNullable<WriteBackSettings["changes"]>,
): string | undefined {
  if (number !== null) return `thread-${number}`;
  if (changes !== "pull-request") return undefined;
  const place = [job.repository.id, env.CI_CONFIG_PATH ?? "", job.job, env.CI_COMMIT_REF_NAME ?? ""];
  return `job-${createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, 32)}`;
}
