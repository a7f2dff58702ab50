// The source of a run's checkout: the packs of its commit, and of a pull request's base.

import type { Caller } from "../accounts/caller.ts";
import type { Agent } from "../agents/agent.ts";
import type { Core } from "../core.ts";
import type { StoreReader } from "../ports/store.ts";
import { findHeldCommit, touchCommits } from "./held-commits.ts";
import { type HeldPack, repositoryKeyOf } from "./held-pack.ts";
import type { CommitMissingRefusal } from "./refusals.ts";
import { commitsOf, placeOf, type RunSource } from "./run-commit.ts";

/** The part of the commit that a run works on that the job has sent. */
export type HeldSource = {
  /** All that it takes. */
  readonly packs: readonly HeldPack[];
  /** Commits at which the history of the commit ends. */
  readonly shallow: readonly string[];
  /** The newest commit of a pull request's target branch, where that was sent, too. */
  readonly baseSha: string | null;
};

/** Null where the run's commit is not held. Without its base a pull request shows no change. */
export async function findHeldSource(core: Core, input: RunSource): Promise<HeldSource | null> {
  const place = placeOf(input);
  const [sha, baseSha] = commitsOf(input);
  if (core.commits === null || place === null || sha === undefined) return null;
  const repository = repositoryKeyOf(place);
  const reader = core.store.committed;
  const head = await findHeldCommit(reader, { repository, sha });
  if (head === null) return null;
  const base = baseSha === undefined ? null : await findHeldCommit(reader, { repository, sha: baseSha });
  const commits = base === null ? [head] : [head, base];
  if (!(await touchCommits(core, commits))) return null;
  const packs = new Map(commits.flatMap((commit) => commit.packs).map((pack) => [pack.id, pack]));
  return { packs: [...packs.values()], shallow: head.tip.shallow, baseSha: base?.tip.tip ?? null };
}

/** Why a job's run cannot begin: its repository is not public, so that it is never cloned, and its commit is not held. */
export async function findMissingCommit(
  core: Core,
  reader: Pick<StoreReader, "packs">,
  run: {
    readonly agent: Pick<Agent, "backend">;
    readonly caller: Caller;
    /** It is then executed by a model, whatever the agent's backend. */
    readonly bringsModel: boolean;
    readonly pullRequest: RunSource["pullRequest"] | null;
  },
): Promise<CommitMissingRefusal | null> {
  const { agent, caller, bringsModel, pullRequest } = run;
  if (core.commits === null || caller.kind !== "ci_job") return null;
  const { job } = caller.capability;
  if (job.repository.visibility === "public") return null;
  if (!bringsModel && !core.commits.isNeededBy(agent.backend)) return null;
  const sha = pullRequest?.headSha ?? job.sha;
  const held = await reader.packs.findHeld({ repository: repositoryKeyOf(job), tip: sha });
  return held === null ? { reason: "commit_missing", repository: job.repository.name, sha } : null;
}
