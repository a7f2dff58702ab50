// What a run works on that no job asks for. One rule for every way to ask: the newest commit of its session, else the newest
// of the default branch that a job has made known, else there is no run.
// Why: docs/decisions/117-what-a-run-without-a-job-works-on.md

import { ok, type Result, refused } from "../../../base/result.ts";
import type { CommitOrigin } from "../../../contract/runs/run.ts";
import type { Agent, AgentRepository } from "../agents/agent.ts";
import type { CommitPlace } from "../ci/job-identity.ts";
import type { Core } from "../core.ts";
import type { StoreReader } from "../ports/store.ts";
import type { PullRequestHead, RunCommit } from "../runs/run-record.ts";
import { findHeldCommit } from "./held-commits.ts";
import type { HeldCommit } from "./held-pack.ts";
import type { CommitUnknownRefusal } from "./refusals.ts";
import { commitsOf, placeOf } from "./run-commit.ts";

/** Runs of a session that are looked through for one with a commit. */
const RUNS_LOOKED_AT = 20;

export type ChosenCommit = {
  readonly commit: RunCommit;
  /** The pull request that the session is about. */
  readonly pullRequest?: PullRequestHead;
  /** Null where it is cloned. */
  readonly held: HeldCommit | null;
};

type Reader = Pick<StoreReader, "runs" | "packs" | "defaultHeads">;

/** Null where the run needs no commit. Changes nothing. */
export async function chooseCommit(
  core: Pick<Core, "commits" | "policy">,
  reader: Reader,
  { agent, sessionId }: { readonly agent: Agent; readonly sessionId: string | null },
): Promise<Result<ChosenCommit | null, CommitUnknownRefusal>> {
  const { repository } = agent;
  if (core.commits === null || repository === null || !core.commits.isNeededBy(agent.backend))
    return ok(null);
  const last = sessionId === null ? null : await findInSession(reader, { agentId: agent.id, sessionId });
  const continued = last === null ? null : await choose(reader, { from: "session", repository, ...last });
  if (continued !== null) return ok(continued);
  const head = await reader.defaultHeads.find(agent.id);
  const newest =
    head === null ? null : await choose(reader, { from: "default_branch", repository, place: head });
  if (newest !== null) return ok(newest);
  return refused({
    reason: "commit_unknown",
    repository: repository.name,
    isPublic: repository.visibility === "public",
    goneSha: head?.sha ?? last?.place.sha ?? null,
  });
}

type Candidate = { readonly place: CommitPlace; readonly pullRequest?: PullRequestHead };

async function findInSession(
  { runs }: Pick<StoreReader, "runs">,
  session: { readonly agentId: string; readonly sessionId: string },
): Promise<Candidate | null> {
  for (const { id } of await runs.list({ ...session, before: null, limit: RUNS_LOOKED_AT })) {
    const input = await runs.findInput(id);
    const place = input === null ? null : placeOf(input);
    if (input === null || place === null) continue;
    const { pullRequest } = input;
    return { place, ...(pullRequest === undefined ? {} : { pullRequest }) };
  }
  return null;
}

/** Null where the commit is not there any more. Whether the repository is public counts as of now. */
async function choose(
  reader: Pick<StoreReader, "packs">,
  {
    from,
    repository,
    place,
    pullRequest,
  }: Candidate & {
    readonly from: CommitOrigin;
    readonly repository: AgentRepository;
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
  return held === null && visibility !== "public" ? null : { ...chosen, held };
}
