// Sends the run's commit to a service that cannot clone it: the commits of the service are asked for first, and refusals are
// reported before anything travels. No credential of the code host leaves the job. Loaded only where it is needed.

import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { GitError } from "../../base/git/git.ts";
import type { JobClient } from "../../client/job-client.ts";
import type { CommitState } from "../../contract/ci/commits.ts";
import { commitNameSchema } from "../../contract/runs/pull-request.ts";
import { StepError } from "../step-error.ts";
import type { CommitPlace } from "./commit-place.ts";
import { type CommitRepository, openCommitRepository, type WantedCommit } from "./commit-repository.ts";
import { type GitWorkplace, type JobCheckout, withJobCheckout } from "./job-checkout.ts";
import { estimateBytes, type Pack, packCommits } from "./pack-commits.ts";
import { type CommitSelection, selectCommits } from "./select-commits.ts";
import { sizeText } from "./size-text.ts";

export type SendOptions = {
  readonly client: Pick<JobClient, "commits">;
  readonly place: CommitPlace;
  readonly commit: WantedCommit & {
    /** The number of its pull request; null where the commit is that of the job's token. */
    readonly pullRequest: number | null;
  };
  /** All of it ends then. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Lines for whoever reads the log. */
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
};

/** The commits that the service has now. */
type SentCommits = {
  /** The newest commit of the branch that the pull request goes to; null where there is none, or it is not known. */
  readonly base: string | null;
};

/** No run needs more, whatever a service says. */
const MAX_COMMITS = 1_000;
const MAX_PACK_BYTES = 2_000_000_000;
/** A connection that breaks is tried once more. */
const UPLOAD_RETRY = { attempts: 2, firstDelayMs: 500, maxDelayMs: 30_000 };

/**
 * Safe to repeat: what the service has is not sent again. Rejects as the client does, and with StepError where the commit
 * cannot be had or is too large.
 */
export async function sendCommit(options: SendOptions): Promise<SentCommits> {
  const { commit, clock, timeoutMs } = options;
  requireName(options);
  const passed = new AbortController();
  const finished = new AbortController();
  const deadline = clock.sleep(timeoutMs, finished.signal).then(
    () => passed.abort(timedOut(commit, timeoutMs)),
    () => {},
  );
  const signal = AbortSignal.any([options.signal, passed.signal]);
  try {
    return await bringCommit({ ...options, signal });
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof GitError)) throw cause;
    const fix = cause.code === "git_not_started" ? " Put git into the image of the job." : "";
    const message = `Commit ${short(commit.sha)} could not be read for the service: ${cause.message}${fix}`;
    throw new StepError("commit_unreadable", message, { cause });
  } finally {
    finished.abort();
    await deadline;
  }
}

function timedOut({ sha }: WantedCommit, timeoutMs: number): StepError {
  const minutes = Math.round(timeoutMs / 60_000);
  const message =
    `Commit ${short(sha)} was not sent within the ${minutes} minutes of "timeout-minutes", and no run was started. ` +
    "Raise the limit, or send less history.";
  return new StepError("commit_not_sent", message);
}

export type CommitEstimate =
  /** The service clones. */
  | { readonly type: "not_taken" }
  | { readonly type: "held" }
  | {
      readonly type: "sendable";
      /** Commits before it. */
      readonly history: number;
      /** About, and at most; null where this git cannot tell. */
      readonly bytes: number | null;
      readonly maxBytes: number;
    };

/** The size of what a run of this job would send. Sends nothing; rejects as `sendCommit` does. */
export async function estimateCommit(
  options: Pick<SendOptions, "client" | "place" | "commit" | "clock" | "signal">,
): Promise<CommitEstimate> {
  const { commit, place, signal } = options;
  requireName(options);
  const state = await findCommit(options, commit.sha).catch(nullWithoutRoute);
  if (state === null) return { type: "not_taken" };
  if (state.present) return { type: "held" };
  return await withJobCheckout({ ...place, signal }, async (checkout, workplace) => {
    const commits = countOf(state);
    // For their sizes all files have to be here.
    const opening = { ...options, checkout, workplace, commits, isKnown: false };
    const repository = await openCommitRepository(opening);
    const { git, gitFolder, isPartial } = repository;
    const { sha } = commit;
    const wanted = { sha, against: null, commits: isPartial ? 1 : commits, have: state.have };
    const selection = await selectCommits({ git, ...wanted, signal });
    return {
      type: "sendable",
      history: selection.history,
      bytes: await estimateBytes({ git, gitFolder, selection, signal }),
      maxBytes: state.max_bytes,
    };
  });
}

function requireName({ commit, place }: Pick<SendOptions, "commit" | "place">): void {
  if (commitNameSchema.safeParse(commit.sha).success) return;
  const message = `Nothing says which commit the run is to work on. ${place.words.getCommit}`;
  throw new StepError("commit_not_found", message);
}

function countOf({ history }: CommitState): number {
  return Math.max(1, Math.min(history, MAX_COMMITS));
}

async function bringCommit(options: SendOptions): Promise<SentCommits> {
  const { commit, place, signal, note } = options;
  // Refuses before anything is fetched or packed.
  const state = await findCommit(options, commit.sha).catch(nullWithoutRoute);
  if (state === null) {
    note("This service takes no commits from jobs: it clones the repository, or refuses the run.");
    return { base: null };
  }
  if (state.present && commit.baseRef === null) {
    note(`The service has commit ${short(commit.sha)} already.`);
    return { base: null };
  }
  return await withJobCheckout({ ...place, signal }, async (checkout, workplace) => {
    const commits = countOf(state);
    const isKnown = state.have.length > 0;
    const repository = await openCommitRepository({ ...options, checkout, workplace, commits, isKnown });
    const sending = { ...options, repository, workplace, commits };
    const { base } = repository;
    if (base !== null && base !== commit.sha) {
      const before = await findCommit(options, base);
      if (!before.present) await sendWhole(sending, { sha: base, against: commit.sha, state: before });
    }
    if (state.present) note(`The service has commit ${short(commit.sha)} already.`);
    else {
      await explain(sending, checkout);
      // The base is part of what the service has now.
      const now = base === null ? state : await findCommit(options, commit.sha);
      if (!now.present) await sendWhole(sending, { sha: commit.sha, against: base, state: now });
    }
    return { base };
  });
}

async function findCommit(
  { client, commit, signal }: Pick<SendOptions, "client" | "commit" | "signal">,
  sha: string,
): Promise<CommitState> {
  return await client.commits.find({ sha, query: queryOf(commit), signal });
}

/** By its status: in the Action this file is in a bundle of its own, with a class of its own. */
function nullWithoutRoute(error: unknown): null {
  if (error instanceof Error && "status" in error && error.status === 404) return null;
  throw error;
}

function queryOf({ pullRequest }: SendOptions["commit"]) {
  return pullRequest === null ? {} : { pull_request: pullRequest };
}

type Sending = SendOptions & {
  readonly repository: CommitRepository;
  readonly workplace: GitWorkplace;
  readonly commits: number;
};

type OneCommit = {
  readonly sha: string;
  readonly against: string | null;
  readonly state: CommitState;
};

/** Sends a pack; its base may be deleted meanwhile: then it builds on nothing. */
async function sendWhole(sending: Sending, one: OneCommit): Promise<void> {
  try {
    await sendOne(sending, one);
  } catch (cause) {
    const isGone = cause instanceof Error && "reason" in cause && cause.reason === "base_absent";
    if (!isGone || one.state.have.length === 0) throw cause;
    await sendOne(sending, { ...one, state: { ...one.state, have: [] } });
  }
}

async function sendOne(sending: Sending, one: OneCommit): Promise<void> {
  const { client, commit, repository, commits, workplace, signal, note } = sending;
  const { sha } = one;
  const path = join(workplace.folder, "commit.pack");
  const { pack, selection } = await packWithin(sending, { ...one, path });
  await client.commits.send({
    sha,
    query: { ...queryOf(commit), base: [...selection.tips] },
    pack: { size: pack.bytes, open: () => createReadStream(path) },
    retry: UPLOAD_RETRY,
    signal,
  });
  note(sentText({ sha, pack, selection, what: sha === commit.sha ? "commit" : "the base" }));
  const { shortfall } = repository;
  if (shortfall !== null && selection.history + 1 < commits) {
    note(`There is no more history here, and the service takes ${commits} commits: ${shortfall}`);
  }
}

function sentText(sent: {
  sha: string;
  pack: Pack;
  selection: CommitSelection;
  what: "commit" | "the base";
}): string {
  const { sha, pack, selection, what } = sent;
  const { history } = selection;
  const earlier = `with ${history} ${history === 1 ? "commit" : "commits"} of history`;
  const depth = history === 0 ? "without history" : earlier;
  return `Sent ${what} ${short(sha)} ${depth}: ${sizeText(pack.bytes)}.`;
}

/** A pack that the service takes: with its history, or without where that is too much. */
async function packWithin(
  sending: Sending,
  { sha, against, state, path }: OneCommit & { readonly path: string },
): Promise<{ readonly pack: Pack; readonly selection: CommitSelection }> {
  const { repository, commits, place, signal } = sending;
  const { git, gitFolder } = repository;
  const maxBytes = Math.min(state.max_bytes, MAX_PACK_BYTES);
  const select = async (count: number) =>
    await selectCommits({ git, sha, against, commits: count, have: state.have, signal });
  try {
    // A partial clone has the files of no commit but the one that is checked out.
    for (const count of repository.isPartial ? [1] : new Set([commits, 1])) {
      const selection = await select(count);
      await repository.fetchFiles?.(selection);
      const pack = await packCommits({ git, gitFolder, selection, path, maxBytes, signal });
      if (pack !== null) return { pack, selection };
    }
    const bytes = await estimateBytes({ git, gitFolder, selection: await select(1), signal });
    throw tooLarge(sha, { maxBytes, bytes });
  } catch (cause) {
    signal.throwIfAborted();
    if (!repository.isPartial || !(cause instanceof GitError)) throw cause;
    const message = `The checkout is a partial clone, which lacks files of commit ${short(sha)}. ${place.words.getFiles}`;
    throw new StepError("commit_unreadable", message, { cause });
  }
}

function tooLarge(sha: string, { maxBytes, bytes }: { maxBytes: number; bytes: number | null }): StepError {
  const size = bytes === null || bytes <= maxBytes ? "" : ` of about ${sizeText(bytes)}`;
  const message =
    `Commit ${short(sha)} was not sent: it has new files${size}, and the service takes ${sizeText(Math.max(0, maxBytes))} of this repository now. ` +
    "Ask its operator for more, or run the agent without a server.";
  return new StepError("commit_too_large", message);
}

/** Explains which files the agent will not see that a reader of the job may expect. */
async function explain(sending: Sending, checkout: JobCheckout | null): Promise<void> {
  const { commit, repository, signal, note, warn } = sending;
  const entries = await rootEntries(repository.git, { sha: commit.sha, signal });
  if (entries.has(".gitmodules")) note("Submodules are not sent: the agent finds their folders empty.");
  const attributes = entries.get(".gitattributes");
  if (attributes !== undefined) {
    const args = ["cat-file", "blob", attributes];
    const { stdout } = await repository.git({ args, signal, allowedExitCodes: [0, 128] });
    if (stdout.includes("filter=lfs")) {
      note("Files of Git LFS are not sent: the agent finds their pointers.");
    }
  }
  if (checkout !== null && (await isChanged(checkout, signal))) {
    warn(
      `Earlier steps have changed files of the checkout. The agent works on commit ${short(commit.sha)}, without these changes.`,
    );
  }
}

/** By name, with git's name of each. */
async function rootEntries(
  git: CommitRepository["git"],
  { sha, signal }: { readonly sha: string; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> {
  const args = ["ls-tree", "-z", sha, "--", ".gitmodules", ".gitattributes"];
  const { stdout } = await git({ args, signal });
  const entries = stdout
    .toString("latin1")
    .split("\0")
    .filter((entry) => entry !== "");
  return new Map(
    entries.map((entry) => {
      const [facts = "", name = ""] = entry.split("\t");
      return [name, facts.split(" ")[2] ?? ""];
    }),
  );
}

/** Whether files that git tracks differ from the commit. What cannot be told is no difference. */
async function isChanged({ git }: JobCheckout, signal: AbortSignal): Promise<boolean> {
  try {
    const args = ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules"];
    return (await git({ args, signal })).stdout.length > 0;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof GitError) return false;
    throw cause;
  }
}

function short(sha: string): string {
  return sha.slice(0, 7);
}
