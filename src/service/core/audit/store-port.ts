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
  /** Refusals since then, by their day (UTC, since the epoch), action and reason; the newest day first, the most frequent first. */
  countRefusals(query: { readonly since: number }): Promise<readonly RefusalCount[]>;
}

export interface AuditStore extends AuditReader {
  insert(entry: AuditEntry): Promise<void>;
}

export type RefusalCount = {
  readonly day: number;
  readonly action: AuditAction;
  readonly outcome: string;
  readonly count: number;
};

/** With null, or left out, everything of that kind. */
export type AuditQuery = PageQuery & {
  readonly accountId: string | null;
  readonly action: AuditAction | null;
  /** The name that the repository had then. */
  readonly repositoryName: string | null;
  /** "ok", or the reason of the refusal. */
  readonly outcome?: string | null;
};
