// Serialises the runs of one session that change files: each starts with the changes of the one before.

import { isTerminal } from "../../contract/runs/run.ts";
import type { Core } from "../core/core.ts";
import type { RunRecord } from "../core/runs/run-record.ts";
import { untilEnded } from "./child-runs.ts";

/** Runs further back have ended, or one of these waits for them. */
const RUNS_LOOKED_AT = 50;

type SessionTurn = {
  readonly core: Core;
  readonly run: RunRecord;
  readonly signal: AbortSignal;
  /** Lets another worker take this one's place while `wait` waits: an earlier run may need one. */
  readonly lend: <Value>(wait: () => Promise<Value>) => Promise<Value>;
};

/** Resolves once the session's earlier runs have ended. Rejects with the signal's reason. */
export async function untilTurn(turn: SessionTurn): Promise<void> {
  const { core, run, signal, lend } = turn;
  for (;;) {
    signal.throwIfAborted();
    const earlier = await core.store.committed.runs.listOfSessionBefore({
      sessionId: run.sessionId,
      before: run.id,
      limit: RUNS_LOOKED_AT,
    });
    const ahead = earlier.find(({ status }) => !isTerminal(status));
    if (ahead === undefined) return;
    core.log.info({ run_id: run.id, ahead: ahead.id }, "run waits for the one before it in its session");
    await lend(() => untilEnded(core, ahead.id, signal));
  }
}
