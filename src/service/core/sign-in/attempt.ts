// A sign-in that takes several requests, as it is stored. Pure.

export const attemptKinds = [
  "passkey",
  "passkey_registration",
  "identity",
  "operator_passkey",
  "operator_registration",
  "mcp_connection",
] as const;
export type AttemptKind = (typeof attemptKinds)[number];

export type SignInAttempt = {
  readonly hash: string;
  readonly kind: AttemptKind;
  /** JSON, which only who began it reads. */
  readonly state: string;
  readonly expiresAt: number;
};
