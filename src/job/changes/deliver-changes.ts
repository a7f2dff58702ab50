// Delivers the changes of a run, as a commit on the branch or as a pull request. The job does that with its own token,
// after the agent has ended.
// Why: docs/decisions/024-the-job-writes.md

import { GitError } from "../../base/git/git.ts";
import type { Delivery } from "../../report/delivery.ts";
import { scanPatch } from "../../report/scan-patch.ts";
import { CodeHostError } from "../code-host/code-host-error.ts";
import { changedTree } from "./changed-tree.ts";
import { type CommitDelivery, deliverCommit } from "./deliver-commit.ts";
import { deliverPullRequest } from "./deliver-pull-request.ts";
import { type DeliveryContext, deliveryContext } from "./delivery-context.ts";
import type { DeliveryOptions } from "./delivery-options.ts";
import { Kept, keptDelivery, namedPlaces } from "./kept.ts";
import { Remote } from "./remote.ts";
import { ScratchRepository } from "./scratch-repository.ts";
import { targetOf } from "./target.ts";

/** Failures that a maintainer can cause are a Delivery of type "kept", with the reason. Rejects only for others. */
export async function deliverChanges(options: DeliveryOptions): Promise<Delivery> {
  const { changes, signal } = options;
  // An empty patch still updates a session's pull request: the agent may have undone its changes. A branch needs nothing.
  const isNothing = changes.patch === "" && changes.unreadable === undefined;
  if (isNothing && isForBranch(options)) return { type: "none" };
  try {
    return await deliver(options);
  } catch (cause) {
    const kept = keptDelivery(
      signal.aborted ? interrupted(cause) : refusalOf(cause, options),
      options.host.words.patchIsIn,
    );
    if (kept === null) throw cause;
    return kept;
  }
}

async function deliver(options: DeliveryOptions): Promise<Delivery> {
  const { changes, env, host, clock, signal, onNote } = options;
  if (changes.unreadable !== undefined) {
    throw new Kept(
      "patch_unusable",
      "Nothing was pushed: the run's changes could not be read. Run it again.",
    );
  }
  if (host.git.token === "")
    throw new Kept("permission_missing", `The changes were not pushed: ${host.words.noToken}`);
  const objectFormat = objectFormatOf(changes.base_sha);
  refuseUnseen(changes.patch);
  const target = targetOf(options);
  const scratch = await ScratchRepository.open({ env, objectFormat, signal });
  try {
    const remote = new Remote({
      git: scratch.git,
      host: host.git,
      words: host.words,
      clock,
      random: Math.random,
      signal,
      onNote,
    });
    const trees = await changedTree(
      { scratch, remote, hostName: host.words.host },
      { baseSha: changes.base_sha, patch: changes.patch },
    );
    const context = deliveryContext(options, { scratch, remote });
    if (isForBranch(options)) return await deliverCommit(context, { target, trees });
    return (await isOnOwnPullRequest(context))
      ? await addToPullRequest(context, { target, trees })
      : await deliverPullRequest(context, { target, trees });
  } finally {
    await scratch.close();
  }
}

/** An issue has no branch: changes for one become a pull request. */
function isForBranch({ mode, subject }: DeliveryOptions): boolean {
  return mode === "commit" && (subject === null || subject.isPullRequest);
}

/** A request on a pull request that the agent opened changes that one, and opens no second one. */
async function isOnOwnPullRequest({ options, committer }: DeliveryContext): Promise<boolean> {
  const { subject, branchPrefix } = options;
  if (subject?.refs?.headRef.startsWith(branchPrefix) !== true || subject.author === null) return false;
  return subject.author.id === (await committer()).id;
}

async function addToPullRequest(context: DeliveryContext, delivery: CommitDelivery): Promise<Delivery> {
  const { host, subject } = context.options;
  const added = await deliverCommit(context, delivery);
  if (added.type !== "commit" || subject === null) return added;
  const { number } = subject;
  const name = host.words.deliveredName(number);
  return {
    type: "pull_request",
    branch: added.branch,
    sha: added.sha,
    number,
    url: host.pullRequestUrl(number),
    isNew: false,
    ...(name === undefined ? {} : { name }),
  };
}

/** Nobody reads a commit before it is pushed: what must not be public, or cannot be seen, stays in the patch. */
function refuseUnseen(patch: string): void {
  const { secrets, hidden } = scanPatch(patch);
  if (secrets.length > 0) {
    const message = `The changes were not pushed: they would publish ${namedPlaces(secrets)}. Revoke what is real, and tell the agent where such values come from; where it is none, apply the patch yourself.`;
    throw new Kept("secret_in_changes", message);
  }
  if (hidden.length > 0) {
    const message = `The changes were not pushed: they add characters that no reader sees: ${namedPlaces(hidden)}. Look at those lines, and apply the patch yourself where they belong there.`;
    throw new Kept("hidden_characters", message);
  }
}

function objectFormatOf(baseSha: string): "sha1" | "sha256" {
  if (/^[0-9a-f]{40}$/.test(baseSha)) return "sha1";
  if (/^[0-9a-f]{64}$/.test(baseSha)) return "sha256";
  const message =
    "The changes were not pushed: the service did not name their base commit. Run it again; if that happens every " +
    "time, the service is broken.";
  throw new Kept("patch_unusable", message);
}

function interrupted(cause: unknown): Kept {
  const message =
    "The job was cancelled while the changes were pushed. Look at the branch, or re-run the job: it pushes nothing twice.";
  return new Kept("interrupted", message, { cause });
}

/** Failures of git and of the API that have no message of their own yet. */
function refusalOf(cause: unknown, { host: { words } }: DeliveryOptions): unknown {
  if (cause instanceof GitError) {
    const isMissing = cause.code === "git_not_started";
    const message = isMissing
      ? "The changes were not pushed: this runner has no git. Install git 2.39 or newer."
      : `The changes were not pushed: ${cause.message} It takes git 2.39 or newer; where that is there, re-run the job.`;
    return new Kept("patch_unusable", message, { cause });
  }
  if (!(cause instanceof CodeHostError)) return cause;
  const { isDenied } = cause;
  const advice = isDenied ? words.mayDeliver : words.retry;
  const message = `The changes were not delivered. ${cause.message} ${advice}`;
  if (isDenied) return new Kept("permission_missing", message, { cause });
  return new Kept(
    cause.code === "code_host_unavailable" ? "code_host_unavailable" : "push_refused",
    message,
    {
      cause,
    },
  );
}
