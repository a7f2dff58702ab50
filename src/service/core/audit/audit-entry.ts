// One entry of the audit trail: an exchange, a token for an account, a claim, a release, a policy, a deleted agent, an approval, a sign-in or sign-out, a key, an operator. Pure.

export const auditActions = [
  "exchange",
  "mint",
  "revoke",
  "claim",
  "release",
  "policy",
  "revoke_links",
  "delete_agent",
  "approval",
  "write_grant",
  "audiences",
  "run_token",
  "repository_access",
  "sign_in",
  "sign_out",
  "key_made",
  "key_revoked",
  "passkey_added",
  "passkey_removed",
  "identity_linked",
  "identity_removed",
  "member_invited",
  "invitation_withdrawn",
  "member_joined",
  "member_changed",
  "member_capped",
  "member_removed",
  "account_named",
  "mcp_connected",
  "mcp_disconnected",
  "operator_link_made",
  "operator_added",
  "operator_removed",
  "operator_sign_in",
  "operator_sign_out",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Actions whose entries are also of attempts that were refused: their outcome is "ok", or the reason. */
export const refusableActions = [
  "exchange",
  "mint",
  "sign_in",
  "operator_sign_in",
] as const satisfies readonly AuditAction[];

/** Who did it. */
export type AuditActor = {
  /** The person, or whoever made the key or allowed the application that acted. Null: a job, the operator or nobody proven. */
  readonly personId: string | null;
  /** The application that acted. Null: none did. */
  readonly clientId: string | null;
};

/** A job, the operator, or somebody who has not proved who they are. */
export const nobody: AuditActor = { personId: null, clientId: null };

export type AuditEntry = AuditActor & {
  readonly id: string;
  readonly at: number;
  readonly requestId: string;
  readonly action: AuditAction;
  /** "ok", or the reason of the refusal. */
  readonly outcome: string;
  /** From verified claims only; null where there were none. */
  readonly issuer: string | null;
  readonly repositoryId: string | null;
  readonly repositoryName: string | null;
  readonly ciRunId: string | null;
  /** The account that claims, claimed what is released, set the policy or decided, or that somebody acts for. */
  readonly accountId?: string;
  /** The person about whom it was decided. */
  readonly aboutPersonId?: string;
  /** The operator who did it, or about whom it was decided: their id, or the issuer and the subject of their identity. */
  readonly operatorId?: string;
  /** The method by which somebody signed in, or tried to. */
  readonly method?: string;
};
