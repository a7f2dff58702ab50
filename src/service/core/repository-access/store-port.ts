// The port to the stored access to agents' repositories without a job. Implemented in store/repository-access.ts.

import type { StoredAccess } from "./stored-access.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly repositoryAccess: RepositoryAccessReader;
  }
  interface StoreTransaction {
    readonly repositoryAccess: RepositoryAccessStore;
  }
}

interface RepositoryAccessReader {
  /** Null where the owner chose none. */
  find(agentId: string): Promise<StoredAccess | null>;
  /** Those whose key was sealed by this sealing key. */
  listSealedBy(keyId: string): Promise<readonly StoredAccess[]>;
}

export interface RepositoryAccessStore extends RepositoryAccessReader {
  /** Replaces what was chosen. */
  put(access: StoredAccess): Promise<void>;
  /** Safe to repeat. */
  delete(agentId: string): Promise<void>;
}
