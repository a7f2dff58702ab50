// What runs of an agent may cost, for its cap a day. Implemented in store/cost-reservations.ts.

import type { RunRecord } from "../../runs/run-record.ts";

export type CostReservation = {
  readonly runId: string;
  readonly agentId: string;
  /** `2026-11-22`, UTC. */
  readonly day: string;
  readonly microUsd: number;
  readonly expiresAt: number;
};

export type ReservedRun = Pick<RunRecord, "status" | "startedAt" | "usage"> & {
  readonly reservedMicroUsd: number;
};

export interface CostReservationStore {
  insert(reservation: CostReservation): Promise<void>;
  /** The runs of a day, with what each may cost. The caller has locked the agent: no other transaction adds one. */
  list(day: { readonly agentId: string; readonly day: string }): Promise<readonly ReservedRun[]>;
}
