// The commits of a set of packs, from some tips down, and the ends of their history: one process of git, which is asked for the
// parents of what it has just answered.

import type { Git } from "../../../base/git/git.ts";
import { askObjects, ObjectQuestions } from "../cat-file.ts";

/** The part of a commit that is read: its parents come first. */
const MAX_HEADER_BYTES = 64 * 1024;

type CommitWalk = {
  /** Of the repository that the packs are in. It must have no `shallow` file. */
  readonly git: Git;
  readonly tips: readonly string[];
  readonly maxCommits: number;
  readonly signal: AbortSignal;
};

export type WalkedHistory = {
  readonly commits: number;
  /** Every commit that is there, also beyond where the history ends. */
  readonly present: readonly string[];
  /** Reachable commits of whose parents one is not there, sorted. */
  readonly shallow: readonly string[];
};

type WalkFault = { readonly fault: "tip_absent" | "not_a_commit" | "too_many" };

/** Reads history down to where parents are missing. Throws a GitError. */
export async function walkCommits(walk: CommitWalk): Promise<WalkedHistory | WalkFault> {
  const { git, tips, maxCommits, signal } = walk;
  const parents = new Map<string, readonly string[] | null>();
  const questions = new ObjectQuestions();
  const ask = (sha: string) => {
    if (parents.has(sha)) return;
    // Until it is answered it counts as one that is there.
    parents.set(sha, []);
    questions.add(sha);
  };
  for (const tip of tips) ask(tip);
  for await (const { oid, type, bytes } of askObjects({ git, questions, signal })) {
    if (type === "missing") {
      parents.set(oid, null);
      if (tips.includes(oid)) return { fault: "tip_absent" };
    } else if (type !== "commit") {
      return { fault: "not_a_commit" };
    } else {
      const named = parentsOf((await bytes(MAX_HEADER_BYTES)).toString("latin1"));
      parents.set(oid, named);
      for (const parent of named) ask(parent);
    }
    if (parents.size > maxCommits) return { fault: "too_many" };
  }
  return historyOf(parents, tips);
}

/** Without what is reached only through a commit where the history ends: git sees no parent of it. */
function historyOf(
  parents: ReadonlyMap<string, readonly string[] | null>,
  tips: readonly string[],
): WalkedHistory {
  const seen = new Set<string>(tips);
  const shallow: string[] = [];
  for (const sha of seen) {
    const named = parents.get(sha) ?? [];
    if (named.some((parent) => (parents.get(parent) ?? null) === null)) shallow.push(sha);
    else for (const parent of named) seen.add(parent);
  }
  const present = [...parents].filter(([, named]) => named !== null).map(([sha]) => sha);
  return { commits: seen.size, present, shallow: shallow.sort() };
}

function parentsOf(commit: string): readonly string[] {
  const [header = ""] = commit.split("\n\n", 1);
  return [...header.matchAll(/^parent ([0-9a-f]{40}|[0-9a-f]{64})$/gm)].map(([, sha = ""]) => sha);
}
