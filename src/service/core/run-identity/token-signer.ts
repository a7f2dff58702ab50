// RS256 as the core uses it, and the keys that seal its keys. The signer is implemented in oidc/token-signer.ts. Types only.

import type { SealingKeys } from "../../../base/sealed-text.ts";

declare module "../core.ts" {
  interface Core {
    readonly identity: IdentityKeeping;
  }
}

type IdentityKeeping = {
  readonly signer: TokenSigner;
  /** Null where the operator has set none: a key of the process's own would be gone with it. */
  readonly sealingKeys: SealingKeys | null;
};

type MadeKey = {
  readonly kid: string;
  /** JWKs in JSON. The public one says `kid`, `alg` and `use`. */
  readonly publicJwk: string;
  readonly privateJwk: string;
};

export interface TokenSigner {
  /** A new RSA key of 2,048 bits. */
  makeKey(): Promise<MadeKey>;
  /** A JWT in compact form. */
  sign(claims: Readonly<Record<string, unknown>>, key: { kid: string; privateJwk: string }): Promise<string>;
}
