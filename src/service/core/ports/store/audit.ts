// The audit trail. Implemented in store/audit.ts.

import type { AuditEntry } from "../../audit/audit-entry.ts";

export interface AuditStore {
  insert(entry: AuditEntry): Promise<void>;
}
