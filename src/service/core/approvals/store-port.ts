// Approvals. Implemented in store/approvals.ts.

import type { ApprovalStatus } from "../../../contract/approvals/approval.ts";
import type { ApprovalEnd, ApprovalRecord } from "./approval.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly approvals: ApprovalReader;
  }
  interface StoreTransaction {
    readonly approvals: ApprovalStore;
  }
}

interface ApprovalReader {
  find(id: string): Promise<ApprovalRecord | null>;
  /** An account's, newest first. */
  list(query: ApprovalQuery): Promise<readonly ApprovalRecord[]>;
}

export interface ApprovalStore extends ApprovalReader {
  /** The newest of a subject. The caller holds the agent's lock. */
  findLatest(query: { agentId: string; subject: string }): Promise<ApprovalRecord | null>;
  /** Those of an agent that are pending and not over, schedules aside. */
  countPending(query: { agentId: string; now: number }): Promise<number>;
  /** Those of an agent that are pending, also where they are over. */
  listPendingOf(agentId: string): Promise<readonly ApprovalRecord[]>;
  insert(approval: ApprovalRecord): Promise<void>;
  /** False, and nothing changed, where it is not pending. Safe to race. */
  end(id: string, end: ApprovalEnd): Promise<boolean>;
  /** Ends the pending one of a subject, or with null all pending ones of the agent. */
  endPending(change: { agentId: string; subject: string | null; end: ApprovalEnd }): Promise<void>;
}

export type ApprovalQuery = {
  readonly accountId: string;
  readonly agentId: string | null;
  /** As it is at `now`. Null: all. */
  readonly status: ApprovalStatus | null;
  readonly now: number;
  /** The id of an approval: only older ones. */
  readonly before: string | null;
  readonly limit: number;
};
