// ID tokens of runs: for audiences that the agent's owner has granted, while the run is at work. Each leaves an audit entry.

import { ok, type Result, refused } from "../../../base/result.ts";
import { type AccountCaller, actorOf, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { Agent } from "../agents/agent.ts";
import { agentSettingsUrl } from "../agents/agent-settings-url.ts";
import { type AuditActor, type AuditEntry, nobody } from "../audit/audit-entry.ts";
import type { Core } from "../core.ts";
import type { RefusalOf } from "../ports/problem.ts";
import { isOfOwner } from "../runs/owner-of-run.ts";
import { findRun } from "../runs/read-run.ts";
import type { RunRefusal, runProblems } from "../runs/refusals.ts";
import type { RunInput, RunRecord } from "../runs/run-record.ts";
import type { AudienceGrant } from "./audience-grant.ts";
import { issuerOf, signClaims } from "./identity-keys.ts";
import type { RunIdentityRefusal } from "./refusals.ts";
import { claimsOf, TOKEN_MS } from "./run-claims.ts";
import { type RunTrust, trustOf } from "./run-trust.ts";

export type MintedToken = { readonly token: string; readonly expiresAt: number };
type Minted<Refusal> = Promise<Result<MintedToken, Refusal>>;

/** Refusals of a command's request. */
export type CommandMintRefusal = RunIdentityRefusal | RefusalOf<typeof runProblems, "run_not_found">;

type Request = { readonly runId: string; readonly audience: string; readonly requestId: string };

/** For the owner of the agent, in person. */
export async function mintForCaller(
  core: Core,
  { caller, ...request }: Request & { readonly caller: AccountCaller },
): Minted<RunIdentityRefusal | RunRefusal | ClassRefusal> {
  const found = await findRun(core, { caller, runId: request.runId });
  if (!found.ok) return found;
  if (!isOwner(caller)) {
    const url = agentSettingsUrl(core, found.value.agentId);
    return refused({ reason: "owner_needed", what: "get an ID token of a run", url });
  }
  return await mintToken(core, { ...request, run: found.value, by: actorOf(caller) });
}

/**
 * For a command of the run, by the worker that executes it: refused once another worker has taken the run. Its audit entry names the run in
 * the place of a request.
 */
export async function mintForCommand(
  core: Core,
  {
    runId,
    fence,
    audience,
    trust,
  }: Pick<Request, "runId" | "audience"> & { readonly fence: number; readonly trust: RunTrust },
): Minted<CommandMintRefusal> {
  const run = await core.store.committed.runs.find(runId);
  if (run === null) return refused({ reason: "run_not_found", runId });
  return await mintToken(core, { run, audience, requestId: runId, by: nobody, fence, trust });
}

/**
 * The audiences for which commands of a run get tokens; null where there is none. None of an attempt, which is executed several times to the same end and so may not
 * act elsewhere, and none where the service signs nothing.
 */
export async function usableAudiences(
  { store, identity }: Pick<Core, "store" | "identity">,
  { run, input }: { readonly run: RunRecord; readonly input: RunInput },
): Promise<{ readonly audiences: readonly string[]; readonly trust: RunTrust } | null> {
  if (identity.sealingKeys === null || input.raceRole !== undefined) return null;
  const grants = await store.committed.runIdentity.listAudiences(run.agentId);
  if (grants.length === 0) return null;
  const trust = await trustOf(store.committed, { run, input });
  const audiences = grants.filter((grant) => isUsable(grant, trust)).map(({ audience }) => audience);
  return audiences.length === 0 ? null : { audiences, trust };
}

function isUsable({ allowsUntrusted }: AudienceGrant, trust: RunTrust): boolean {
  return allowsUntrusted || trust === "trusted";
}

/** The `jti` of a token is the id of its audit entry, which is kept before the token is given away. */
export async function mintToken(
  core: Core,
  {
    run,
    audience,
    requestId,
    by,
    fence,
    trust: known,
  }: Omit<Request, "runId"> & {
    readonly run: RunRecord;
    readonly by: AuditActor;
    /** Of the worker that asks. Left out: nobody of the run asks. */
    readonly fence?: number;
    /** Where it is known: what a run goes on with does not change. */
    readonly trust?: RunTrust;
  },
): Minted<CommandMintRefusal> {
  const { store, clock, random } = core;
  const { agentId, id: runId } = run;
  const now = clock.now();
  const leftWork = leftWorkOf(run, fence);
  if (leftWork !== null) return refused({ reason: "run_not_at_work", runId, status: leftWork });
  const [agent, input, grants] = await Promise.all([
    store.committed.agents.find(agentId),
    store.committed.runs.findInput(runId),
    store.committed.runIdentity.listAudiences(agentId),
  ]);
  if (agent === null || input === null) return refused({ reason: "run_not_found", runId });
  const grant = grants.find((one) => one.audience === audience);
  // What another account has granted since is not for a run of the earlier one.
  if (grant === undefined || !isOfOwner(run, agent))
    return refused({ reason: "audience_not_granted", audience, agentId });
  const trust = known ?? (await trustOf(store.committed, { run, input }));
  if (!isUsable(grant, trust)) return refused({ reason: "run_untrusted", audience, agentId });
  const id = random.uuid(now);
  const issuer = issuerOf(core);
  const token = await signClaims(core, claimsOf({ issuer, audience, id, now, run, input, agent, trust }));
  if (!token.ok) return token;
  const entry = { id, now, agent, input, audience, requestId, by };
  return await store.transact(async (tx): Minted<CommandMintRefusal> => {
    const locked = await tx.runs.lock(runId);
    const left = locked === null ? "gone" : leftWorkOf(locked, fence);
    if (left !== null) return refused({ reason: "run_not_at_work", runId, status: left });
    await tx.audit.insert(entryOf(entry));
    return ok({ token: token.value, expiresAt: Math.floor(now / 1_000) * 1_000 + TOKEN_MS });
  });
}

/** What a run is that is not at work, or not at this worker's. Null: it is. */
function leftWorkOf(run: RunRecord, fence: number | undefined): string | null {
  if (run.status !== "running") return run.status;
  if (run.parked !== undefined) return "parked";
  return fence === undefined || run.fence === fence ? null : "at work elsewhere";
}

type Entry = {
  readonly id: string;
  readonly now: number;
  readonly agent: Agent;
  readonly input: Pick<RunInput, "job">;
  readonly audience: string;
  readonly requestId: string;
  readonly by: AuditActor;
};

/** Its outcome is the audience. */
function entryOf({ id, now, agent, input, audience, requestId, by }: Entry): AuditEntry {
  const { accountId, repository } = agent;
  return {
    id,
    at: now,
    requestId,
    action: "run_token",
    outcome: audience,
    ...by,
    issuer: repository?.issuer ?? null,
    repositoryId: repository?.id ?? null,
    repositoryName: repository?.name ?? null,
    ciRunId: input.job?.runId ?? null,
    ...(accountId === null ? {} : { accountId }),
  };
}
