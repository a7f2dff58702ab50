// `changes: pull-request`: one pull request a session. The first run opens it, later runs add to it, on top of what was
// pushed there meanwhile.

import { pullRequestBody, updatedBody } from "../../render/pull-request.ts";
import type { Delivery } from "../../report/delivery.ts";
import { type ChangedTree, treeOnto } from "./changed-tree.ts";
import type { CommitSigner, PullRequest } from "./changes-host.ts";
import { isOfRun, isOfSession } from "./commit-message.ts";
import { branchMoved, signerOf, signingContext } from "./deliver-commit.ts";
import { type DeliveryContext, MAX_ATTEMPTS } from "./delivery-context.ts";
import { Kept } from "./kept.ts";
import { pushTree } from "./push-tree.ts";
import { branchName, type Target } from "./target.ts";
import { tellPushedBefore } from "./tell-pushed.ts";

/** Commits that are searched for the session's last one. */
const SEARCHED_COMMITS = 100;
/** Closed pull requests of one session that are passed over. */
const MAX_NAMES = 20;

type PullRequestDelivery = { readonly target: Target | null; readonly trees: ChangedTree };

/** The proposal of the pull request: a tree, and the commit of the target branch that it is based on. */
type Proposal = {
  readonly base: string;
  readonly on: string;
  readonly onTree: string;
  readonly tree: string;
};

/** Rejects with Kept, CodeHostError or GitError. */
export async function deliverPullRequest(
  context: DeliveryContext,
  delivery: PullRequestDelivery,
): Promise<Delivery> {
  const { options } = context;
  const place = await findPlace(context);
  if (place.type === "done") return delivered(context, place.pull, { branch: place.branch, isNew: false });
  const { branch, pull } = place;
  const proposal = await propose(context, delivery);
  if (proposal.tree === proposal.onTree && pull === null) {
    if (options.changes.patch !== "") {
      options.onNote(`Nothing is pushed: ${proposal.base} has these changes already.`);
    }
    return { type: "none" };
  }
  if (place.rejected !== null && (await isSameChange(context, { proposal, rejected: place.rejected }))) {
    options.onNote(
      `Nothing is pushed: ${options.host.words.named(place.rejected.number)}, with these changes, was closed.`,
    );
    return { type: "none" };
  }
  const sha = await updateBranch(context, { branch, proposal });
  const body = bodyOf(context, sha);
  if (pull !== null) {
    const renewed = updatedBody(pull.body, body);
    if (renewed !== null && renewed !== pull.body) await options.host.renewBody(pull, renewed);
    return delivered(context, { ...pull, headSha: sha }, { branch, isNew: false });
  }
  const wanted = { title: context.title, body, head: branch, base: proposal.base };
  const made = await options.host.openPullRequest(wanted);
  return delivered(context, { ...made, headSha: sha }, { branch, isNew: true });
}

function delivered(
  { options }: DeliveryContext,
  pull: PullRequest,
  { branch, isNew }: { branch: string; isNew: boolean },
): Delivery {
  const { number, url, headSha: sha } = pull;
  const name = options.host.words.deliveredName(number);
  return { type: "pull_request", branch, sha, number, url, isNew, ...(name === undefined ? {} : { name }) };
}

type DeliveryTarget =
  /** A branch of the session's own; `pull` is null where none is open. */
  | {
      readonly type: "branch";
      readonly branch: string;
      readonly pull: PullRequest | null;
      /** The one before, if it was closed without a merge, and there was no request since. */
      readonly rejected: PullRequest | null;
    }
  /** This run was delivered before, and its pull request was closed since. */
  | { readonly type: "done"; readonly branch: string; readonly pull: PullRequest };

async function findPlace({ options, remote, scratch }: DeliveryContext): Promise<DeliveryTarget> {
  const { host, run, branchPrefix: prefix } = options;
  let rejected: PullRequest | null = null;
  for (let count = 1; count <= MAX_NAMES; count += 1) {
    const branch = branchName(options, { prefix, sessionId: run.sessionId, count });
    const pulls = await host.findPullRequests(branch);
    const pull = pulls.find(({ isOpen }) => isOpen) ?? null;
    const [closed] = pulls;
    if (pull !== null || closed === undefined) return { type: "branch", branch, pull, rejected };
    rejected = null;
    if (await remote.fetch(closed.headSha, SEARCHED_COMMITS)) {
      const history = await scratch.history(closed.headSha, SEARCHED_COMMITS);
      if (history.some(({ message }) => isOfRun(message, run))) return { type: "done", branch, pull: closed };
      if (!closed.isMerged && isUnrequested(options)) rejected = closed;
    }
  }
  const message = `The changes were not pushed: this session has had ${MAX_NAMES} ${host.words.pullRequest}s. Start a new session.`;
  throw new Kept("branch_taken", message);
}

/** A schedule runs again after its changes were rejected. A user's request overrides the rejection. */
function isUnrequested({ subject, host }: DeliveryContext["options"]): boolean {
  return subject === null && !host.isRequested;
}

/** Whether every file that is to change is already as it was in the pull request that was closed. */
async function isSameChange(
  { scratch }: DeliveryContext,
  { proposal, rejected }: { proposal: Proposal; rejected: PullRequest },
): Promise<boolean> {
  const changed = await scratch.changes(proposal.onTree, proposal.tree);
  const others = await scratch.changes(await scratch.treeOf(rejected.headSha), proposal.tree);
  const differing = new Set(others.map(({ path }) => path));
  return changed.every(({ path }) => !differing.has(path));
}

async function propose(
  { options, remote, scratch }: DeliveryContext,
  { target, trees }: PullRequestDelivery,
): Promise<Proposal> {
  const { base_sha: baseSha } = options.changes;
  const base = target?.branch ?? (await options.host.readDefaultBranch());
  if (baseSha === target?.sha) return { base, on: baseSha, onTree: trees.base, tree: trees.changed };
  // The job is on a tag or on GitHub's merge of a pull request: that commit must not get into the pull request.
  const on = await remote.tip(base);
  if (on === null || !(await remote.fetch(on))) {
    throw new Kept("no_branch", `The changes were not pushed: there is no branch ${base} to merge into.`);
  }
  const onTree = await scratch.treeOf(on);
  return { base, on, onTree, tree: await treeOnto(scratch, { ...trees, tip: onTree, branch: base }) };
}

type BranchUpdate = { readonly branch: string; readonly proposal: Proposal };

type Made = "moved" | { readonly sha: string };

/** Brings the branch to the proposal. Returns its newest commit. */
async function updateBranch(context: DeliveryContext, update: BranchUpdate): Promise<string> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const tip = await context.remote.tip(update.branch);
    const made =
      tip === null ? await createBranch(context, update) : await extendBranch(context, { ...update, tip });
    if (made !== "moved") return made.sha;
  }
  throw branchMoved(update.branch);
}

async function createBranch(context: DeliveryContext, { branch, proposal }: BranchUpdate): Promise<Made> {
  const signer = signerOf(context);
  if (signer !== null) return await createSignedBranch(context, { branch, proposal, signer });
  const { on, tree } = proposal;
  return await pushTree(context, { tree, parents: [on], branch, expected: null });
}

/** GitHub makes commits on existing branches only. A new branch that gets no commit is deleted again. */
async function createSignedBranch(
  context: DeliveryContext,
  { branch, proposal, signer }: BranchUpdate & { readonly signer: CommitSigner },
): Promise<Made> {
  const { on, onTree, tree } = proposal;
  await signer.createBranch(branch, on);
  try {
    return await signer.commit(signingContext(context), { branch, tip: on, from: onTree, to: tree });
  } catch (cause) {
    await signer.deleteBranch(branch);
    throw cause;
  }
}

async function extendBranch(
  context: DeliveryContext,
  { branch, proposal, tip }: BranchUpdate & { tip: string },
): Promise<Made> {
  const { remote, scratch, options } = context;
  const { run, host } = options;
  const signer = signerOf(context);
  if (!(await remote.fetch(tip, SEARCHED_COMMITS))) return "moved";
  const history = await scratch.history(tip, SEARCHED_COMMITS);
  const at = history.findIndex(({ message }) => isOfRun(message, run));
  const before = history[at];
  if (before !== undefined) {
    const last = history.slice(at + 1).find(({ message }) => isOfSession(message, run));
    const remake = async (parent: string) => await extendedTree(context, { branch, proposal, parent, last });
    await tellPushedBefore(context, { sha: before.sha, remake });
    return before;
  }
  const last = history.find(({ message }) => isOfSession(message, run));
  const isEmpty = last === undefined && tip === proposal.on;
  if (last === undefined && !isEmpty) {
    throw new Kept(
      "branch_taken",
      `The changes were not pushed: ${branch} was not made by this session. Rename or delete it, or ${host.words.otherPrefix}.`,
    );
  }
  const from = await scratch.treeOf(tip);
  const to = await extendedTree(context, { branch, proposal, parent: tip, last });
  const hasBase = await scratch.isAncestor(proposal.on, tip);
  if (to === from) return { sha: tip };
  if (signer === null) {
    const parents = [tip, ...(hasBase ? [] : [proposal.on])];
    return await pushTree(context, { tree: to, parents, branch, expected: tip });
  }
  if (!hasBase) {
    throw new Kept(
      "signing_unsupported",
      `The changes were not pushed: ${proposal.base} has moved on, and GitHub signs no merge. Merge ${proposal.base} ` +
        `into ${branch} and run it again, or use "signed-commits: false".`,
    );
  }
  return await signer.commit(signingContext(context), { branch, tip, from, to });
}

type Extension = BranchUpdate & {
  readonly parent: string;
  /** The session's last commit before. */
  readonly last: { readonly sha: string } | undefined;
};

/** The tree of a commit of the branch, with what is new since the session's last one. */
async function extendedTree(
  { scratch }: DeliveryContext,
  { branch, proposal, parent, last }: Extension,
): Promise<string> {
  const base = await scratch.treeOf(last?.sha ?? parent);
  return await treeOnto(scratch, {
    base,
    changed: proposal.tree,
    tip: await scratch.treeOf(parent),
    branch,
  });
}

/** `sha` is the pushed commit. */
function bodyOf({ options }: DeliveryContext, sha: string): string {
  const { subject, changes, reply, host } = options;
  const isIssue = subject?.isPullRequest === false && subject.discussionId === undefined;
  const isFix = isIssue && subject.command?.verb === "fix";
  const reference =
    subject === null ? null : { number: subject.number, isClosed: isFix, mark: host.words.mark };
  const links = { ...host.links, headSha: changes.base_sha, changedSha: sha };
  return host.inert(pullRequestBody({ reply, changes, jobUrl: host.jobUrl, links, subject: reference }));
}
