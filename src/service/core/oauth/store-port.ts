// The port to the rows of the authorization server. Implemented in store/oauth-artifacts.ts and store/oauth-grants.ts.

import type { Artifact, ArtifactKey } from "./artifact.ts";
import type { OAuthGrant } from "./grant.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly oauthArtifacts: ArtifactReader;
    readonly oauthGrants: OAuthGrantReader;
  }
  interface StoreTransaction {
    readonly oauthArtifacts: ArtifactStore;
    readonly oauthGrants: OAuthGrantStore;
  }
}

interface ArtifactReader {
  /** Also one that has expired, until it is deleted. */
  find(key: ArtifactKey): Promise<Artifact | null>;
}

export interface ArtifactStore extends ArtifactReader {
  /** Inserts it, or replaces all but `consumedAt` and `successor`. */
  put(artifact: Artifact): Promise<void>;
  /** Replaces a payload that is still `from`. False when it is another, or gone. */
  replace(change: { kind: string; idHash: string; from: string; artifact: Artifact }): Promise<boolean>;
  /** False when it was consumed before, or is gone. */
  consume(use: { kind: string; idHash: string; now: number; successor?: string | null }): Promise<boolean>;
  delete(artifact: { kind: string; idHash: string }): Promise<void>;
  deleteOf(grantId: string): Promise<void>;
}

interface OAuthGrantReader {
  find(id: string): Promise<OAuthGrant | null>;
  /** Those of an account that are not revoked and have not expired, newest first. */
  list(query: { accountId: string; now: number }): Promise<readonly OAuthGrant[]>;
}

export interface OAuthGrantStore extends OAuthGrantReader {
  insert(grant: OAuthGrant): Promise<void>;
  /** The same as `find`. Nobody else changes it until the transaction ends. */
  lock(id: string): Promise<OAuthGrant | null>;
  revoke(revocation: { id: string; now: number }): Promise<void>;
  /** Records that one of its tokens was used. */
  touch(use: { id: string; now: number }): Promise<void>;
}
