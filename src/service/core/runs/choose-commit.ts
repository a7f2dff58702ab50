// The choice of a commit for a run that no job asks for. One rule for every way to ask: the newest commit of its session, else
// the newest of the default branch, at the code host where the owner chose so, otherwise of those that a job has made known;
// else there is no run.
// Why: docs/decisions/117-what-a-run-without-a-job-works-on.md, 122-access-by-the-owners-choice.md

import { ok, type Result, refused } from "../../../base/result.ts";
import type { CommitOrigin } from "../../../contract/runs/run.ts";
import type { Agent, AgentRepository } from "../agents/agent.ts";
import type { CommitPlace } from "../ci-jobs/job-identity.ts";
import { findHeldCommit } from "../commits/held-commits.ts";
import type { HeldCommit } from "../commits/held-pack.ts";
import type { CommitUnknownRefusal } from "../commits/refusals.ts";
import {
  commitsOf,
  type PullRequestHead,
  placeOf,
  type RunCommit,
  type RunSource,
} from "../commits/run-commit.ts";
import type { Core } from "../core.ts";
import type { StoreReader } from "../ports/store.ts";
import type { RemoteHeadNeeded } from "../repository-access/refusals.ts";
import type { RemoteHead } from "../repository-access/remotes.ts";

/** Runs of a session that are looked through for one with a commit. */
const RUNS_LOOKED_AT = 20;

export type ChosenCommit = {
  readonly commit: RunCommit;
  /** The pull request that the session is about. */
  readonly pullRequest?: PullRequestHead;
  /** Null where it is cloned, or fetched by the access that the owner chose. */
  readonly held: HeldCommit | null;
};

type Reader = Pick<StoreReader, "runs" | "packs" | "defaultHeads" | "repositoryAccess">;

/**
 * Null where the run needs no commit. Changes nothing. `remoteHead` is what the code host has said; where that is needed and not there,
 * `remote_head_needed` says with which access to ask.
 */
export async function chooseCommit(
  core: Pick<Core, "commits" | "access">,
  reader: Reader,
  {
    agent,
    sessionId,
    remoteHead,
    like,
  }: {
    readonly agent: Agent;
    readonly sessionId: string | null;
    readonly remoteHead?: RemoteHead;
    /** Another run's, whose commit it is to be. Absent: any will do. */
    readonly like?: RunSource;
  },
): Promise<Result<ChosenCommit | null, CommitUnknownRefusal | RemoteHeadNeeded>> {
  const { repository } = agent;
  if (core.commits === null || repository === null || !core.commits.isNeededBy(agent.backend))
    return ok(null);
  const access = core.access === null ? null : await reader.repositoryAccess.find(agent.id);
  const isFetched = repository.visibility === "public" || access !== null;
  const last =
    like !== undefined
      ? candidateOf(like)
      : sessionId === null
        ? null
        : await findInSession(reader, { agentId: agent.id, sessionId });
  const continued =
    last === null ? null : await choose(reader, { from: "session", repository, isFetched, ...last });
  if (continued !== null) return ok(continued);
  const isPublic = repository.visibility === "public";
  const goneSha = last?.place.sha ?? null;
  if (like !== undefined)
    return refused({ reason: "commit_unknown", repository: repository.name, isPublic, goneSha });
  if (access !== null) {
    if (remoteHead === undefined) return refused({ reason: "remote_head_needed", access });
    const { provider, issuer } = repository;
    // The default branch has what writers made.
    const place = { provider, issuer, repository, event: "push", baseRef: null, ...remoteHead };
    const fetched = await choose(reader, { from: "code_host", repository, isFetched, place });
    if (fetched !== null) return ok(fetched);
  }
  const head = await reader.defaultHeads.find(agent.id);
  const newest =
    head === null
      ? null
      : await choose(reader, { from: "default_branch", repository, isFetched, place: head });
  if (newest !== null) return ok(newest);
  return refused({
    reason: "commit_unknown",
    repository: repository.name,
    isPublic,
    goneSha: head?.sha ?? goneSha,
  });
}

type Candidate = { readonly place: CommitPlace; readonly pullRequest?: PullRequestHead };

async function findInSession(
  { runs }: Pick<StoreReader, "runs">,
  session: { readonly agentId: string; readonly sessionId: string },
): Promise<Candidate | null> {
  for (const { id } of await runs.list({ ...session, before: null, limit: RUNS_LOOKED_AT })) {
    const input = await runs.findInput(id);
    const candidate = input === null ? null : candidateOf(input);
    if (candidate !== null) return candidate;
  }
  return null;
}

function candidateOf(source: RunSource): Candidate | null {
  const place = placeOf(source);
  const { pullRequest } = source;
  return place === null ? null : { place, ...(pullRequest === undefined ? {} : { pullRequest }) };
}

/** Null where the commit is not there any more. Whether the repository is public counts as of now. */
async function choose(
  reader: Pick<StoreReader, "packs">,
  {
    from,
    repository,
    isFetched,
    place,
    pullRequest,
  }: Candidate & {
    readonly from: CommitOrigin;
    readonly repository: AgentRepository;
    readonly isFetched: boolean;
  },
): Promise<ChosenCommit | null> {
  const { id, ownerId, name, visibility } = repository;
  const { provider, issuer, sha, ref, event, baseRef, cloneUrl } = place;
  const current = { id, ownerId, name, visibility };
  const commit = {
    from,
    place: { provider, issuer, repository: current, sha, ref, event, baseRef, cloneUrl },
  };
  const chosen = { commit, ...(pullRequest === undefined ? {} : { pullRequest }) };
  const [head = sha] = commitsOf({ job: null, ...chosen });
  const held = await findHeldCommit(reader, { repository: { issuer, id }, sha: head });
  return held === null && !isFetched ? null : { ...chosen, held };
}
