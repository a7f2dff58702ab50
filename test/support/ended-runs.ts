// Runs that have ended, put into a store as they are: for what is summed or shown of many.

import { makeRun, makeRunInput } from "../../fakes/records.ts";
import { accountWallet } from "../../src/service/core/money/ledger.ts";
import type { RunRecord } from "../../src/service/core/runs/run-record.ts";
import type { CoreFixture } from "./fixtures/core-fixture.ts";
import type { TestAccount } from "./service-account.ts";

type EndedRun = Partial<RunRecord> & {
  /** When it ended. */
  readonly at: string;
  readonly model?: string;
  readonly tokens?: number;
};

/** Inserts a run of the account's agent, which its credits have paid for. Returns its id. */
export async function insertEndedRun(
  { core }: CoreFixture,
  account: TestAccount,
  { at, model, tokens = 0, ...fields }: EndedRun,
): Promise<string> {
  const endedAt = Date.parse(at);
  const calls = { calls: 1, inputTokens: tokens, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
  const run = makeRun({
    id: core.random.uuid(endedAt),
    agentId: account.agent.id,
    sessionId: core.random.uuid(endedAt),
    billingAccount: accountWallet(account.id),
    status: "completed",
    stopReason: "end_turn",
    submittedAt: endedAt - 1_000,
    startedAt: endedAt - 900,
    heartbeatAt: endedAt,
    endedAt,
    holdMicroUsd: fields.grossMicroUsd ?? 0,
    usage: {
      roles: { executor: { tokens, calls: 1, microUsd: fields.grossMicroUsd ?? 0 } },
      ...(model === undefined ? {} : { models: [{ model, ...calls }] }),
      advisor: null,
    },
    ...fields,
  });
  await core.store.transact((tx) => tx.runs.insert(run, makeRunInput()));
  return run.id;
}
