// An adoption as it is stored: a workspace is filled with the files of an agent's repository. Times are milliseconds since the epoch. Pure.
//
//   running → ready → rolled_back
//   running → failed | cancelled

import type { AdoptionStatus } from "../../../../contract/workspaces/adoption.ts";
import type { OperationError } from "../operations/operation.ts";

export type Adoption = {
  /** A workspace has one: the newest. */
  readonly workspaceId: string;
  readonly agentId: string;
  readonly status: AdoptionStatus;
  readonly sha: string;
  readonly objects: number;
  readonly bytes: number;
  readonly error: OperationError | null;
  /** The revision that was current before. */
  readonly beforeRevisionId: string;
  readonly revisionId: string | null;
  readonly operationId: string;
  readonly createdAt: number;
  readonly endedAt: number | null;
};
