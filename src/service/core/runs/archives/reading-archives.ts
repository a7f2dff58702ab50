// The store as the core is given it where what ended runs have left may be in blobs: whoever reads notices nothing.
// Why: docs/decisions/175-events-of-ended-runs-leave-the-database.md

import type { BlobStore } from "../../blobs/blob-store.ts";
import type { Store, StoreReader } from "../../ports/store.ts";
import { ArchivedEvents } from "./archived-events.ts";
import { ArchivedJournals } from "./archived-journals.ts";

/** The store, whose committed events and journals are read from archives, too. */
export function readingArchives(store: Store, blobs: BlobStore): Store {
  const { committed } = store;
  const nouns: Partial<StoreReader> = {
    events: new ArchivedEvents({ committed, blobs }),
    journal: withThese(committed.journal, new ArchivedJournals({ committed, blobs })),
  };
  return { ...store, committed: withThese(committed, nouns) };
}

/** `target`, with the members of `others` in the place of its own. */
function withThese<Target extends object>(target: Target, others: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_, name) => {
      const from = Reflect.get(others, name) === undefined ? target : others;
      const value: unknown = Reflect.get(from, name);
      return typeof value === "function" ? value.bind(from) : value;
    },
  });
}
