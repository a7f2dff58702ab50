// Two accounts with an agent and runs, two repositories of which one is claimed, and audit entries, oldest first.

import { makeJob, makeOutcome, makeRun, makeRunInput } from "../../fakes/records.ts";
import { newAgent } from "../../src/service/core/agents/agent.ts";
import { nobody } from "../../src/service/core/audit/audit-entry.ts";
import { accountWallet, GRANTS } from "../../src/service/core/money/ledger.ts";
import type { Store } from "../../src/service/core/ports/store.ts";

/** Ids that sort in the order of their numbers. */
export const idOf = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

export const accountIds = [idOf(1), idOf(2)] as const;
/** The other one has none. */
export const accountNames: Readonly<Record<string, string>> = { [accountIds[0]]: "Platform 100%" };
export const agentIds = { helper: idOf(11), retired: idOf(12), claimed: idOf(13), unclaimed: idOf(14) };
export const personId = idOf(41);
export const runIds = { ofHelper: idOf(21), ofUnclaimed: idOf(22), failed: idOf(23) };
export const auditIds = { exchange: idOf(31), claim: idOf(32), signIn: idOf(33) };

const ended = makeOutcome({ grossMicroUsd: 25_000, refundedMicroUsd: 8_333 });

/** Writes them, all of the moment `now`. A running service leaves them as they are. */
export async function insertOperatorRecords(store: Store, now: number): Promise<void> {
  await store.transact(async (tx) => {
    for (const id of accountIds) {
      const name = accountNames[id] ?? null;
      await tx.accounts.insert({ id, name, plan: "registered_free", createdAt: now, subscription: null });
    }
    await tx.accounts.markSignedIn({ id: accountIds[0], now });
    const wallet = accountWallet(accountIds[0]);
    await tx.ledger.open(wallet);
    const grant = { kind: "grant", from: GRANTS, to: wallet, microUsd: 1_000_000, runId: null } as const;
    await tx.ledger.post({ id: idOf(91), at: now, ...grant });

    const named = { accountId: accountIds[0], backend: "noop", createdAt: now };
    await tx.agents.insert(newAgent({ ...named, id: agentIds.helper, name: "helper\u001b[31m" }));
    await tx.agents.insert(newAgent({ ...named, id: agentIds.retired, name: "former", retiredAt: now }));
    const job = makeJob();
    await tx.agents.upsert({ id: agentIds.claimed, job, backend: "noop", now });
    await tx.agents.update(agentIds.claimed, { accountId: accountIds[1] });
    const repository = { ...job.repository, id: "1002", name: "octo/other", visibility: "private" } as const;
    await tx.agents.upsert({
      id: agentIds.unclaimed,
      job: { ...job, repository },
      backend: "noop",
      now,
    });

    const runs = [
      { id: runIds.ofHelper, agentId: agentIds.helper },
      { id: runIds.ofUnclaimed, agentId: agentIds.unclaimed },
      { id: runIds.failed, agentId: agentIds.claimed, status: "failed", cause: "time_limit" },
    ] as const;
    for (const run of runs) {
      const times = { submittedAt: now, startedAt: now, heartbeatAt: now, endedAt: now };
      await tx.runs.insert(makeRun({ ...ended, ...times, sessionId: run.id, ...run }), makeRunInput());
    }

    const nowhere = { issuer: null, repositoryId: null, repositoryName: null, ciRunId: null };
    const hello = { issuer: job.issuer, repositoryId: "1001", repositoryName: "octo/hello" };
    await tx.audit.insert({
      id: auditIds.exchange,
      at: now,
      ...nobody,
      requestId: "request-1",
      action: "exchange",
      outcome: "token_replayed",
      ...hello,
      ciRunId: "500",
    });
    await tx.audit.insert({
      id: auditIds.claim,
      at: now,
      personId,
      clientId: "https://app.example/client.json",
      requestId: "request-2",
      action: "claim",
      outcome: "claimed",
      ...hello,
      ciRunId: null,
      accountId: accountIds[1],
    });
    await tx.audit.insert({
      id: auditIds.signIn,
      at: now,
      personId,
      clientId: null,
      requestId: "request-3",
      action: "sign_in",
      outcome: "ok",
      ...nowhere,
      accountId: accountIds[0],
      method: "link",
    });
  });
}
