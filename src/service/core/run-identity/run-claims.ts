// The claims of a run's ID token. The subject is the same for every run of an agent: two of four clouds match it as a whole. Pure.
// Why: docs/decisions/172-the-service-vouches-for-its-runs.md

import type { Agent } from "../agents/agent.ts";
import type { RunInput, RunRecord } from "../runs/run-record.ts";
import type { RunTrust } from "./run-trust.ts";

export const TOKEN_MS = 5 * 60_000;
const SECOND_MS = 1_000;
/** https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html, looked up on 2026-11-29. */
const AWS_TAGS = "https://aws.amazon.com/tags";

type Claimed = {
  readonly issuer: string;
  readonly audience: string;
  readonly id: string;
  readonly now: number;
  readonly run: RunRecord;
  readonly input: Pick<RunInput, "job">;
  readonly agent: Agent;
  readonly trust: RunTrust;
};

export function claimsOf({
  issuer,
  audience,
  id,
  now,
  run,
  input,
  agent,
  trust,
}: Claimed): Record<string, unknown> {
  const { job } = input;
  const issuedAt = Math.floor(now / SECOND_MS);
  const repository = job?.repository ?? agent.repository;
  const claims = {
    iss: issuer,
    sub: subjectOf(agent, trust),
    aud: audience,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + TOKEN_MS / SECOND_MS,
    jti: id,
    repository: repository?.name,
    repository_id: repository?.id,
    repository_owner: repository?.name.split("/")[0],
    repository_owner_id: repository?.ownerId,
    agent: agent.name,
    agent_id: agent.id,
    run_id: run.id,
    parent_run_id: run.parentRunId ?? undefined,
    session_id: run.sessionId,
    origin: run.origin,
    trust,
    event_name: job?.event,
    actor: run.about?.actor,
    actor_id: job?.actorId ?? undefined,
    ref: job?.ref,
    sha: job?.sha,
    ci_issuer: job?.issuer,
    ci_run_id: job?.runId,
    ci_workflow_ref: job?.workflow ?? undefined,
    [AWS_TAGS]: {
      principal_tags: tagsOf({
        repository_id: repository?.id,
        agent_id: agent.id,
        actor_id: job?.actorId ?? undefined,
        event: job?.event,
      }),
      transitive_tag_keys: ["repository_id", "agent_id"],
    },
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/** The subject of every token of the agent's runs with that trust. */
export function subjectOf(agent: Agent, trust: RunTrust): string {
  return `${ownerOf(agent)}:agent:${agent.id}:trust:${trust}`;
}

/** By numbers: a name may become another's. */
function ownerOf({ accountId, repository }: Agent): string {
  return repository === null ? `account:${accountId ?? ""}` : `repo:${repository.ownerId}/${repository.id}`;
}

/** A tag has a list of one value. */
function tagsOf(tags: Readonly<Record<string, string | undefined>>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(tags).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value]] as const])),
  );
}
