// A short-lived right to run one repository's agent. Pure.

import type { JobIdentity } from "./job-identity.ts";

/** A short-lived right to run one repository's agent, as stored: the secret itself is not here. */
export type Capability = {
  readonly hash: string;
  readonly agentId: string;
  readonly job: JobIdentity;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
};
