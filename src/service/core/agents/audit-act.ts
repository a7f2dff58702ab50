// Leaves an audit entry on what an owner decided about an agent.

import type { AuditEntry } from "../audit/audit-entry.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";

export async function auditAct(
  core: Pick<Core, "clock" | "random">,
  tx: StoreTransaction,
  act: Pick<AuditEntry, "action" | "outcome" | "requestId"> & {
    readonly agentId: string;
    readonly accountId: string;
  },
): Promise<void> {
  const { agentId, ...entry } = act;
  const repository = (await tx.agents.find(agentId))?.repository ?? null;
  const now = core.clock.now();
  await tx.audit.insert({
    id: core.random.uuid(now),
    at: now,
    ...entry,
    issuer: repository?.issuer ?? null,
    repositoryId: repository?.id ?? null,
    repositoryName: repository?.name ?? null,
    ciRunId: null,
  });
}
