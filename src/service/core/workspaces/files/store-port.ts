// Links to files, as the core reads and writes them. Implemented in store/workspaces/download-links.ts.

import type { DownloadLink } from "../copies/copy-entry.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly downloadLinks: DownloadLinkReader;
  }
  interface StoreTransaction {
    readonly downloadLinks: DownloadLinkStore;
  }
}

interface DownloadLinkReader {
  /** Null for one that has ended. */
  find(link: { hash: string; now: number }): Promise<DownloadLink | null>;
}

export interface DownloadLinkStore extends DownloadLinkReader {
  /** Forgets some that have ended. */
  insert(link: DownloadLink, now: number): Promise<void>;
}
