// Leaves an audit entry on what was done with an agent: by a person of its account, by a job, or by the operator.

import type { AuditActor, AuditEntry } from "../audit/audit-entry.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { Agent } from "./agent.ts";

type Act = Pick<AuditEntry, "action" | "outcome" | "requestId"> & {
  readonly by: AuditActor;
  /** Null: it was deleted. */
  readonly agent: Agent | null;
  /** Default: the agent's. */
  readonly accountId?: string;
  /** The job that did it. */
  readonly ciRunId?: string;
};

export async function auditAct(
  core: Pick<Core, "clock" | "random">,
  tx: StoreTransaction,
  { by, agent, accountId = agent?.accountId ?? undefined, ciRunId, ...entry }: Act,
): Promise<void> {
  const repository = agent?.repository ?? null;
  const now = core.clock.now();
  await tx.audit.insert({
    id: core.random.uuid(now),
    at: now,
    ...entry,
    ...by,
    issuer: repository?.issuer ?? null,
    repositoryId: repository?.id ?? null,
    repositoryName: repository?.name ?? null,
    ciRunId: ciRunId ?? null,
    ...(accountId === undefined ? {} : { accountId }),
  });
}
