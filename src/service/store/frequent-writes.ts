// The nouns whose writes are so frequent that a database may have statements of its own for them.

import { SqlEvents } from "./events.ts";
import { SqlLedger } from "./ledger.ts";
import { SqlQueue } from "./queue.ts";
import { SqlRunJournal } from "./run-journal.ts";
import { SqlRuns } from "./runs.ts";

/** The nouns whose most frequent writes depend on the database. */
export type FrequentWrites = {
  readonly Runs: typeof SqlRuns;
  readonly Events: typeof SqlEvents;
  readonly Queue: typeof SqlQueue;
  readonly Ledger: typeof SqlLedger;
  readonly Journal: typeof SqlRunJournal;
};

/** In statements that every database knows. */
export const portableWrites: FrequentWrites = {
  Runs: SqlRuns,
  Events: SqlEvents,
  Queue: SqlQueue,
  Ledger: SqlLedger,
  Journal: SqlRunJournal,
};
