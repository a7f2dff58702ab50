// The commits that travel to a service: the wanted ones with their recent history, without those that it holds. Each is told to
// git by its name, so that git follows no history beyond them.

import type { Git } from "../../base/git/git.ts";
import { type HeldCommit, MAX_PACK_BASES } from "../../contract/ci/commits.ts";

type SelectOptions = {
  readonly git: Git;
  readonly sha: string;
  /** The commit that it is compared with; null for none. */
  readonly against: string | null;
  /** The count of commits that travel, the newest included. */
  readonly commits: number;
  /** The commits that the service says it holds. Nobody vouches for it: unknown commits in it have no effect. */
  readonly have: readonly HeldCommit[];
  readonly signal: AbortSignal;
};

export type CommitSelection = {
  /** Commits that travel; the wanted one always does. */
  readonly sent: readonly string[];
  /** Commits that the service holds, next to those that travel. */
  readonly held: readonly string[];
  /** Those of `have` by which it does. */
  readonly tips: readonly string[];
  /** Commits of both kinds whose parents are neither. */
  readonly ends: readonly string[];
  /** Commits before the wanted one, as far as they are here. */
  readonly history: number;
};

/** Compared commits may have parted long ago: so many travel to show where. */
const MAX_BETWEEN = 5_000;
/** Of the history of what the service holds. */
const MAX_HELD = 5_000;

/** Rejects with GitError. */
export async function selectCommits(options: SelectOptions): Promise<CommitSelection> {
  const { sha, commits, have } = options;
  const parents = new Map<string, readonly string[]>();
  const wanted = new Set<string>();
  const history = await listCommits(options, [`--max-count=${commits}`, sha]);
  for (const [commit, itsParents] of [...history, ...(await listToFork(options))]) {
    parents.set(commit, itsParents);
    wanted.add(commit);
  }
  const tips = await presentTips(options, have.slice(0, MAX_PACK_BASES));
  const held = await heldCommits(options, { tips, parents });
  const sent = new Set([sha, ...[...wanted].filter((commit) => !held.has(commit))]);
  const beside = [...sent].flatMap((commit) => parents.get(commit) ?? []).filter((one) => held.has(one));
  const edges = new Set([...beside, ...tips.map((tip) => tip.sha)].filter((commit) => !sent.has(commit)));
  const isKnown = (commit: string) => sent.has(commit) || edges.has(commit);
  const ends = [...sent].filter((commit) => !(parents.get(commit) ?? []).every(isKnown));
  return {
    sent: [...sent],
    held: [...edges],
    tips: tips.map((tip) => tip.sha),
    ends: [...ends, ...edges],
    history: history.length - 1,
  };
}

type Listed = readonly (readonly [commit: string, parents: readonly string[]])[];

/** The commits down to where it parted from what it is compared with. */
async function listToFork(options: SelectOptions): Promise<Listed> {
  const { git, sha, against, signal } = options;
  if (against === null) return [];
  const args = ["merge-base", "--all", sha, against];
  const forks = linesOf((await git({ args, signal, allowedExitCodes: [0, 1] })).stdout);
  if (forks.length === 0) return [];
  const limits = [`--max-count=${MAX_BETWEEN + 1}`, ...forks.map((fork) => `^${fork}`)];
  const between = await listCommits(options, [...limits, sha]);
  if (between.length > MAX_BETWEEN) return [];
  return [...between, ...(await listCommits(options, ["--no-walk", ...forks]))];
}

/** Those that are commits here. */
async function presentTips(
  { git, signal }: SelectOptions,
  have: readonly HeldCommit[],
): Promise<readonly HeldCommit[]> {
  if (have.length === 0) return [];
  const { stdout } = await git({
    args: ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    input: `${have.map(({ sha }) => sha).join("\n")}\n`,
    signal,
  });
  const lines = stdout.toString("latin1").split("\n");
  return have.filter(({ sha }, at) => lines[at] === `${sha} commit`);
}

/** Commits of the histories here that the service holds. `parents` learns of them. */
async function heldCommits(
  options: SelectOptions,
  {
    tips,
    parents,
  }: { readonly tips: readonly HeldCommit[]; readonly parents: Map<string, readonly string[]> },
): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  if (tips.length === 0) return held;
  const listed = await listCommits(options, [`--max-count=${MAX_HELD}`, ...tips.map(({ sha }) => sha)]);
  for (const [commit, itsParents] of listed) parents.set(commit, itsParents);
  for (const { sha, shallow } of tips) {
    const ends = new Set(shallow);
    const seen = new Set([sha]);
    for (const commit of seen) {
      held.add(commit);
      if (ends.has(commit)) continue;
      for (const parent of parents.get(commit) ?? []) seen.add(parent);
    }
  }
  return held;
}

/** Newest first. The oldest commit of a shallow history has no parents. */
async function listCommits({ git, signal }: SelectOptions, revisions: readonly string[]): Promise<Listed> {
  const { stdout } = await git({ args: ["rev-list", "--parents", ...revisions, "--"], signal });
  return linesOf(stdout).map((line) => {
    const [commit = "", ...itsParents] = line.split(" ");
    return [commit, itsParents];
  });
}

function linesOf(output: Buffer): string[] {
  return output
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
}
