// Identities that a person signs in with beside links and keys: one at another provider, a passkey. Pure.

export const identityKinds = ["oidc", "github"] as const;
export type IdentityKind = (typeof identityKinds)[number];

/** A person at a provider. Issuer and subject name it for good; its name may change. */
export type ProvenIdentity = {
  readonly kind: IdentityKind;
  readonly issuer: string;
  readonly subject: string;
  /** An address or a login, to tell identities apart. */
  readonly name: string;
};

export type Identity = ProvenIdentity & {
  readonly id: string;
  readonly personId: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
};

export type Passkey = {
  /** Base64url, as the authenticator made it. */
  readonly credentialId: string;
  readonly personId: string;
  /** The owner's name for it. */
  readonly name: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** Of the authenticator's signatures; 0 where it does not count. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** Whether it is on several devices of its owner. */
  readonly isBackedUp: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
};
