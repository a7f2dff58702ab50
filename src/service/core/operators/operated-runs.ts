// Runs of all accounts as an operator sees them: where, when, how they ended and what they cost. No field here holds a text of an
// account's people, agents or files, so that no page can show one.
// Why: docs/decisions/160-an-operator-is-nobody-in-an-account.md

import type { ParkReason, RunCause, RunOrigin, RunStatus } from "../../../contract/runs/run.ts";
import type { Core } from "../core.ts";
import { chargeInCredits } from "../money/ledger.ts";
import type { NodeState } from "../nodes/node.ts";
import { listNodes } from "../nodes/nodes.ts";
import type { RunOfAgent, RunState } from "../runs/store-port.ts";

export type OperatedRun = {
  readonly id: string;
  readonly agentId: string;
  /** Null where no account has claimed its agent. */
  readonly accountId: string | null;
  /** As its provider called it then: `github:octo/hello`. Null where it works on none. */
  readonly repository: string | null;
  readonly status: RunStatus;
  readonly cause: RunCause | null;
  /** Null unless it is parked. */
  readonly parkedFor: ParkReason | null;
  readonly origin: RunOrigin;
  readonly submittedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Its charges, without refunds. */
  readonly credits: number;
  /** The node that executes it now. Null where none does, or none has said so yet. */
  readonly node: string | null;
};

/** With null everything of that kind. */
type OperatedRunQuery = {
  readonly state: RunState | null;
  readonly origin: RunOrigin | null;
  readonly accountId: string | null;
  readonly repositoryName: string | null;
  /** The id of a node: what it executes now. */
  readonly nodeId: string | null;
  readonly before: string | null;
  readonly limit: number;
};

type OperatedRuns = {
  readonly runs: readonly OperatedRun[];
  readonly nodes: readonly NodeState[];
  /** The value of `before` for the next page; null on the last page. */
  readonly next: string | null;
};

/** Newest first, at most `limit`. */
export async function listOperatedRuns(
  core: Pick<Core, "node" | "store">,
  { nodeId, limit, ...query }: OperatedRunQuery,
): Promise<OperatedRuns> {
  const nodes = await listNodes(core);
  const ids = nodeId === null ? null : (nodes.find(({ id }) => id === nodeId)?.runIds ?? []);
  const filter = { ...query, ids, agentId: null, status: null };
  const found = await core.store.committed.runs.listAll({ ...filter, limit: limit + 1 });
  const names = new Map(nodes.flatMap(({ name, runIds }) => runIds.map((runId) => [runId, name] as const)));
  const shown = found.slice(0, limit).map((one) => operatedRun(one, names));
  // One that has ended stays in its node's state until the next beat.
  const runs = nodeId === null ? shown : shown.filter(({ endedAt }) => endedAt === null);
  return { runs, nodes, next: found.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

function operatedRun({ run, accountId }: RunOfAgent, nodes: ReadonlyMap<string, string>): OperatedRun {
  const { id, agentId, status, cause, origin, submittedAt, startedAt, endedAt } = run;
  return {
    ...{ id, agentId, accountId, status, cause, origin, submittedAt, startedAt, endedAt },
    repository: run.repository ?? null,
    parkedFor: run.parked?.reason ?? null,
    credits: chargeInCredits(run.grossMicroUsd - run.refundedMicroUsd),
    node: endedAt === null ? (nodes.get(id) ?? null) : null,
  };
}
