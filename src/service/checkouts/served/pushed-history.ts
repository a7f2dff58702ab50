// The commits that a push brings: from its tips down to revisions, whose objects are stored. Reads a scratch repository.

import type { Git } from "../../../base/git/git.ts";
import type { IncomingPush, PushedHistory } from "../../core/checkouts/git-service.ts";
import { PackFaultError } from "../packs/pack-stream.ts";

const ASKED_AT_ONCE = 500;
const MAX_LIST_BYTES = 512 * 1024 * 1024;

type HistoryReading = {
  readonly git: Git;
  readonly push: Pick<IncomingPush, "repository" | "tips" | "findRevisions">;
  readonly maxCommits: number;
  readonly signal: AbortSignal;
};

/** One for each tip. Throws a PackFaultError where a tip is no commit, or has too many; a GitError where something is missing. */
export async function readPushed(reading: HistoryReading): Promise<readonly PushedHistory[]> {
  const { push } = reading;
  await checkTips(reading);
  const stops = push.repository.refs.map(({ oid }) => oid);
  const known = new KnownCommits(push.findRevisions);
  await known.add(await parentsBelow(reading, push.tips, stops));
  const histories: PushedHistory[] = [];
  for (const tip of new Set(push.tips)) {
    const builtOn = new Set<string>();
    const seen = new Set<string>();
    // First parents first, as far as they lead.
    const waiting = [tip];
    let commits = 0;
    for (let commit = waiting.pop(); commit !== undefined; commit = waiting.pop()) {
      if (seen.has(commit)) continue;
      seen.add(commit);
      if (known.isRevision(commit)) {
        builtOn.add(commit);
        continue;
      }
      commits += 1;
      if (commits > reading.maxCommits) throw tooMany(reading.maxCommits);
      // An older commit that came with an earlier push, and whose ref is another one by now.
      if (known.parentsOf(commit) === null) await known.add(await parentsBelow(reading, [commit], []));
      waiting.push(...(known.parentsOf(commit) ?? []).toReversed());
    }
    histories.push({ tip, builtOn: [...builtOn], commits });
  }
  return histories;
}

class KnownCommits {
  readonly #findRevisions: IncomingPush["findRevisions"];
  readonly #parents = new Map<string, readonly string[]>();
  readonly #revisions = new Set<string>();

  constructor(findRevisions: IncomingPush["findRevisions"]) {
    this.#findRevisions = findRevisions;
  }

  async add(parents: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const named = new Set<string>();
    for (const [commit, its] of parents) {
      this.#parents.set(commit, its);
      for (const one of [commit, ...its]) named.add(one);
    }
    const asked = [...named];
    for (let at = 0; at < asked.length; at += ASKED_AT_ONCE) {
      const found = await this.#findRevisions(asked.slice(at, at + ASKED_AT_ONCE));
      for (const commit of found) this.#revisions.add(commit);
    }
  }

  isRevision(commit: string): boolean {
    return this.#revisions.has(commit);
  }

  /** Null where they were not read. */
  parentsOf(commit: string): readonly string[] | null {
    return this.#parents.get(commit) ?? null;
  }
}

async function checkTips({ git, push: { tips }, signal }: HistoryReading): Promise<void> {
  const { stdout } = await git({
    args: ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    input: `${tips.join("\n")}\n`,
    signal,
  });
  for (const line of stdout.toString("latin1").trimEnd().split("\n")) {
    const [oid, type] = line.split(" ");
    if (type === "missing")
      throw new PackFaultError("commit_absent", `The pack does not hold commit ${oid}.`);
    if (type !== "commit")
      throw new PackFaultError("commit_absent", `${oid} is a ${type}, and a branch names a commit.`);
  }
}

/** The parents of the commits from `tips` down, without those that `stops` lead to. Commits of the tips are listed all the same. */
async function parentsBelow(
  { git, signal, maxCommits }: HistoryReading,
  tips: readonly string[],
  stops: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = [...tips, ...stops.map((oid) => `^${oid}`)];
  const { stdout } = await git({
    args: ["rev-list", "--parents", `--max-count=${2 * maxCommits + 1}`, "--stdin"],
    input: `${asked.join("\n")}\n`,
    maxOutputBytes: MAX_LIST_BYTES,
    signal,
  });
  const parents = new Map<string, readonly string[]>();
  for (const line of stdout.toString("latin1").split("\n")) {
    const [commit = "", ...its] = line.split(" ");
    if (commit !== "") parents.set(commit, its);
  }
  // Those that a stop leads to are revisions, or lie below one.
  for (const tip of tips) if (!parents.has(tip)) parents.set(tip, await parentsOf(git, tip, signal));
  return parents;
}

async function parentsOf(git: Git, commit: string, signal: AbortSignal): Promise<readonly string[]> {
  const { stdout } = await git({ args: ["rev-parse", `${commit}^@`], signal });
  return stdout
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
}

function tooMany(maxCommits: number): PackFaultError {
  const allowed = maxCommits.toLocaleString("en-US");
  return new PackFaultError(
    "contents_too_large",
    `More than ${allowed} commits are new. Push fewer at a time.`,
  );
}
