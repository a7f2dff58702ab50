// One entry of the audit trail: an exchange, a claim, a release, a policy. Pure.

export type AuditEntry = {
  readonly id: string;
  readonly at: number;
  readonly requestId: string;
  readonly action: "exchange" | "revoke" | "claim" | "release" | "policy";
  /** "ok", or the reason of the refusal. */
  readonly outcome: string;
  /** From verified claims only; null where there were none. */
  readonly issuer: string | null;
  readonly repositoryId: string | null;
  readonly repositoryName: string | null;
  readonly ciRunId: string | null;
  /** The account that claims, claimed what is released, or set the policy. */
  readonly accountId?: string;
};
