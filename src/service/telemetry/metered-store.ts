// A store that tells a meter what was committed: events, and runs that ended. Whoever writes need not think of it,
// and a transaction that is undone or runs again counts nothing or once.

import { isTerminal, type RunCause, type TerminalRunStatus } from "../../contract/runs/run.ts";
import type { Meter } from "../core/ports/meter.ts";
import type { RunChange, StartedRun, Store, StoreTransaction } from "../core/ports/store.ts";

type Tally = {
  /** How many events each write held. */
  readonly appends: number[];
  readonly endings: { readonly status: TerminalRunStatus; readonly cause: RunCause | null }[];
};

/** The same store, measured. */
export function meteredStore(store: Store, meter: Meter): Store {
  return {
    committed: store.committed,
    transact: async (work, options) => {
      let tally: Tally = { appends: [], endings: [] };
      const value = await store.transact((tx) => {
        tally = { appends: [], endings: [] };
        return work(tallied(tx, tally));
      }, options);
      for (const count of tally.appends) meter.eventsAppended(count);
      for (const ending of tally.endings) meter.runEnded(ending);
      return value;
    },
    ping: () => store.ping(),
    close: () => store.close(),
  };
}

function tallied(tx: StoreTransaction, tally: Tally): StoreTransaction {
  const opened = (started: StartedRun | null) => {
    if (started !== null) tally.appends.push(1);
    return started;
  };
  const changed = ({ status, cause = null }: RunChange) => {
    if (status !== undefined && isTerminal(status)) tally.endings.push({ status, cause });
  };
  return {
    ...tx,
    startRun: async (start) => opened(await tx.startRun(start)),
    startOldestRun: async (start) => opened(await tx.startOldestRun(start)),
    appendEvents: async (batch) => {
      const appended = await tx.appendEvents(batch);
      if (appended === null) return null;
      tally.appends.push(batch.jsons.length);
      changed(batch.change ?? {});
      return appended;
    },
    updateRun: async (runId, change) => {
      await tx.updateRun(runId, change);
      changed(change);
    },
  };
}
