// Links by which a file is downloaded without a credential. Implemented in store/workspaces/download-links.ts.

import type { DownloadLink } from "../../../workspaces/files/copy-entry.ts";

export interface DownloadLinkReader {
  /** Null for one that has ended. */
  find(link: { hash: string; now: number }): Promise<DownloadLink | null>;
}

export interface DownloadLinkStore extends DownloadLinkReader {
  /** Forgets some that have ended. */
  insert(link: DownloadLink, now: number): Promise<void>;
}
