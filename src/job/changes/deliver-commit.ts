// `changes: commit`: one commit on top of the branch that the run worked on, wherever that branch is by now.

import type { Delivery } from "../../report/delivery.ts";
import { type ChangedTree, treeOnto } from "./changed-tree.ts";
import type { CommitSigner, SigningContext } from "./changes-host.ts";
import { isOfRun } from "./commit-message.ts";
import { type DeliveryContext, MAX_ATTEMPTS } from "./delivery-context.ts";
import { Kept } from "./kept.ts";
import { pushTree } from "./push-tree.ts";
import type { Target } from "./target.ts";
import { tellPushed, tellPushedBefore } from "./tell-pushed.ts";

/** Commits that a re-run job searches for the commit of the attempt before. */
const SEARCHED_COMMITS = 50;

export type CommitDelivery = { readonly target: Target | null; readonly trees: ChangedTree };

/** Rejects with Kept, CodeHostError or GitError. */
export async function deliverCommit(
  context: DeliveryContext,
  { target, trees }: CommitDelivery,
): Promise<Delivery> {
  if (target === null) {
    throw new Kept(
      "no_branch",
      `The changes were not pushed: this job is on no branch. ${context.options.host.words.usePullRequest}, or start it on a branch.`,
    );
  }
  const { branch } = target;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const made = await addCommit(context, { branch, trees });
    if (made === "moved") continue;
    if (made === "nothing") return { type: "none" };
    return { type: "commit", branch, sha: made.sha, url: context.options.host.commitUrl(made.sha) };
  }
  throw branchMoved(branch);
}

export function signingContext(context: DeliveryContext): SigningContext {
  const { scratch, remote, title, options } = context;
  return {
    scratch,
    run: options.run,
    title,
    tip: (branch) => remote.tip(branch),
    pushed: (sha) => tellPushed(context, { sha, isForeign: true }),
  };
}

/** Null where commits are the job's own. */
export function signerOf({ options }: DeliveryContext): CommitSigner | null {
  return options.signedCommits ? options.host.signer : null;
}

export function branchMoved(branch: string): Kept {
  const message = `The changes were not pushed: ${branch} kept moving while they were pushed. Re-run the job.`;
  return new Kept("branch_moved", message);
}

async function addCommit(
  context: DeliveryContext,
  { branch, trees }: { branch: string; trees: ChangedTree },
): Promise<"moved" | "nothing" | { sha: string }> {
  const { scratch, remote, options } = context;
  const { run, job, changes, onNote, host } = options;
  const signer = signerOf(context);
  const tip = await remote.tip(branch);
  if (tip === null) {
    const message = `The changes were not pushed: the branch ${branch} is gone. ${host.words.usePullRequest}.`;
    throw new Kept("no_branch", message);
  }
  if (!(await remote.fetch(tip, job.attempt === 1 ? 1 : SEARCHED_COMMITS))) return "moved";
  const history = await scratch.history(tip, SEARCHED_COMMITS);
  const before = history.find(({ message }) => isOfRun(message, run));
  const changedOn = async (parent: string) =>
    parent === changes.base_sha
      ? trees.changed
      : await treeOnto(scratch, { ...trees, tip: await scratch.treeOf(parent), branch });
  if (before !== undefined) {
    await tellPushedBefore(context, { sha: before.sha, remake: changedOn });
    return before;
  }
  const tipTree = await scratch.treeOf(tip);
  const tree = await changedOn(tip);
  if (tree === tipTree) {
    onNote(`Nothing is pushed: ${branch} has these changes already.`);
    return "nothing";
  }
  if (signer !== null)
    return await signer.commit(signingContext(context), { branch, tip, from: tipTree, to: tree });
  return await pushTree(context, { tree, parents: [tip], branch, expected: tip });
}
