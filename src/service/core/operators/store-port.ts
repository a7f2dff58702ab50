// Operators, their links and sessions, as the core reads and writes them. Implemented in store/operators.ts.

import type { Operator, OperatorLink, OperatorSession } from "./operator.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly operators: OperatorReader;
  }
  interface StoreTransaction {
    readonly operators: OperatorStore;
  }
}

interface OperatorReader {
  /** Oldest first. */
  list(): Promise<readonly Operator[]>;
  /** Whether there is any. */
  hasAny(): Promise<boolean>;
  findByCredential(credentialId: string): Promise<Operator | null>;
  findLink(hash: string): Promise<OperatorLink | null>;
  /** Also one that has ended. Null where its operator was removed. */
  findSession(hash: string): Promise<OperatorSession | null>;
}

export interface OperatorStore extends OperatorReader {
  /** False when the passkey is an operator's already. Safe to race. */
  insert(operator: Operator): Promise<boolean>;
  /** Records a use with its counter. False when the counter did not go up, though it counts. */
  use(use: { id: string; counter: number; isBackedUp: boolean; now: number }): Promise<boolean>;
  /** The operator, deleted with all sessions. Null when there is none. */
  remove(id: string): Promise<Operator | null>;
  insertLink(link: OperatorLink): Promise<void>;
  /** False when there is no such link, or it was used or has ended. Safe to race: one caller gets it. */
  useLink(use: { hash: string; now: number }): Promise<boolean>;
  insertSession(session: OperatorSession): Promise<void>;
  /** False when there is none. */
  deleteSession(id: string): Promise<boolean>;
}
