// A store that tells a meter what was committed: events, and runs that ended. Whoever writes need not think of it,
// and a transaction that is undone or runs again counts nothing or once.

import { isTerminal, type RunCause, type TerminalRunStatus } from "../../contract/run.ts";
import type { Meter } from "./ports/meter.ts";
import type { Store, StoreTransaction } from "./ports/store.ts";

type Tally = {
  /** How many events each write held. */
  readonly appends: number[];
  readonly endings: { readonly status: TerminalRunStatus; readonly cause: RunCause | null }[];
};

/** The same store, measured. */
export function meteredStore(store: Store, meter: Meter): Store {
  return {
    committed: store.committed,
    transact: async (work) => {
      let tally: Tally = { appends: [], endings: [] };
      const value = await store.transact((tx) => {
        tally = { appends: [], endings: [] };
        return work(tallied(tx, tally));
      });
      for (const count of tally.appends) meter.eventsAppended(count);
      for (const ending of tally.endings) meter.runEnded(ending);
      return value;
    },
    ping: () => store.ping(),
    close: () => store.close(),
  };
}

function tallied(tx: StoreTransaction, tally: Tally): StoreTransaction {
  return {
    ...tx,
    appendEvents: async (batch) => {
      const appended = await tx.appendEvents(batch);
      if (appended !== null) tally.appends.push(batch.jsons.length);
      return appended;
    },
    updateRun: async (runId, change) => {
      await tx.updateRun(runId, change);
      const { status, cause = null } = change;
      if (status !== undefined && isTerminal(status)) tally.endings.push({ status, cause });
    },
  };
}
