// The audit trail. Implemented in store/audit.ts.

import type { PageQuery } from "../ports/page.ts";
import type { AuditAction, AuditEntry } from "./audit-entry.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly audit: AuditReader;
  }
  interface StoreTransaction {
    readonly audit: AuditStore;
  }
}

interface AuditReader {
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

export interface AuditStore extends AuditReader {
  insert(entry: AuditEntry): Promise<void>;
}

/** With null everything of that kind. */
export type AuditQuery = PageQuery & {
  readonly accountId: string | null;
  readonly action: AuditAction | null;
  /** The name that the repository had then. */
  readonly repositoryName: string | null;
};
