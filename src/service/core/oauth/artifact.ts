// Artifacts that the authorization server keeps for a time: codes, refresh tokens, interactions, registered clients. Pure.
// Why: docs/decisions/064-the-authorization-server.md

/** A thing of the authorization server. Its secrets are here only as their SHA-256. */
export type Artifact = {
  /** The library's name of what it is, e.g. "RefreshToken". */
  readonly kind: string;
  readonly idHash: string;
  /** The grant that it ends with. */
  readonly grantId: string | null;
  /** Sessions have a second name. */
  readonly uid: string | null;
  /** SHA-256 of what a person enters. */
  readonly userCodeHash: string | null;
  /** The library's JSON, without secrets. */
  readonly payload: string;
  readonly consumedAt: number | null;
  /** Of a used refresh token: the token that came after it, which only the holder of the used one can open. */
  readonly successor: string | null;
  readonly expiresAt: number;
};

/** The key by which an artifact is found. */
export type ArtifactKey = { readonly kind: string } & (
  | { readonly idHash: string }
  | { readonly uid: string }
  | { readonly userCodeHash: string }
);
