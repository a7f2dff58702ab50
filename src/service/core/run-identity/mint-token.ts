// ID tokens of runs: for audiences that the agent's owner has granted, while the run is at work. Each leaves an audit entry.

import { ok, type Result, refused } from "../../../base/result.ts";
import { type AccountCaller, actorOf, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { Agent } from "../agents/agent.ts";
import { agentSettingsUrl } from "../agents/agent-settings-url.ts";
import type { AuditActor } from "../audit/audit-entry.ts";
import type { Core } from "../core.ts";
import { findRun } from "../runs/read-run.ts";
import type { RunRefusal } from "../runs/refusals.ts";
import type { RunInput, RunRecord } from "../runs/run-record.ts";
import { issuerOf, signClaims } from "./identity-keys.ts";
import type { RunIdentityRefusal } from "./refusals.ts";
import { claimsOf, isTrusted, TOKEN_MS } from "./run-claims.ts";

export type MintedToken = { readonly token: string; readonly expiresAt: number };
type Minted = Promise<Result<MintedToken, RunIdentityRefusal | RunRefusal | ClassRefusal>>;

type Request = { readonly runId: string; readonly audience: string; readonly requestId: string };

/** For the owner of the agent, in person. */
export async function mintForCaller(
  core: Core,
  { caller, ...request }: Request & { readonly caller: AccountCaller },
): Minted {
  const found = await findRun(core, { caller, runId: request.runId });
  if (!found.ok) return found;
  if (!isOwner(caller)) {
    const url = agentSettingsUrl(core, found.value.agentId);
    return refused({ reason: "owner_needed", what: "get an ID token of a run", url });
  }
  return await mintToken(core, { ...request, run: found.value, by: actorOf(caller) });
}

/** The `jti` of a token is the id of its audit entry, which is kept before the token is given away. */
export async function mintToken(
  core: Core,
  {
    run,
    audience,
    requestId,
    by,
  }: Omit<Request, "runId"> & { readonly run: RunRecord; readonly by: AuditActor },
): Minted {
  const { store, clock, random } = core;
  const { agentId, id: runId } = run;
  const now = clock.now();
  if (run.status !== "running" || run.parked !== undefined)
    return refused({
      reason: "run_not_at_work",
      runId,
      status: run.parked === undefined ? run.status : "parked",
    });
  const [agent, input, grants] = await Promise.all([
    store.committed.agents.find(agentId),
    store.committed.runs.findInput(runId),
    store.committed.runIdentity.listAudiences(agentId),
  ]);
  if (agent === null || input === null) return refused({ reason: "run_not_found", runId });
  const grant = grants.find((one) => one.audience === audience);
  if (grant === undefined) return refused({ reason: "audience_not_granted", audience, agentId });
  if (!grant.allowsUntrusted && !isTrusted(input))
    return refused({ reason: "run_untrusted", audience, agentId });
  const id = random.uuid(now);
  const issuer = issuerOf(core);
  const token = await signClaims(core, claimsOf({ issuer, audience, id, now, run, input, agent }));
  if (!token.ok) return token;
  await keepEntry(core, { id, now, agent, input, audience, requestId, by });
  return ok({ token: token.value, expiresAt: Math.floor(now / 1_000) * 1_000 + TOKEN_MS });
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
async function keepEntry(
  core: Core,
  { id, now, agent, input, audience, requestId, by }: Entry,
): Promise<void> {
  const { accountId, repository } = agent;
  await core.store.transact((tx) =>
    tx.audit.insert({
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
    }),
  );
}
