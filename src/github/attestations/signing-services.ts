// The services that vouch for a signature: Sigstore's for public repositories, GitHub's own for all others. Pure.
// As @actions/attest 3.2.0 chooses them; looked up on 2026-11-29.

import type { Visibility } from "../../contract/ci/exchange.ts";

export type SigningServices = {
  /** Issues certificates for identities: https://github.com/sigstore/fulcio */
  readonly fulcioUrl: string;
  /** Proves when the certificate was used: a public log, or a time stamp that nobody else sees. */
  readonly witness:
    | { readonly type: "log"; readonly url: string }
    | { readonly type: "timestamp"; readonly url: string };
};

const sigstore: SigningServices = {
  fulcioUrl: "https://fulcio.sigstore.dev",
  witness: { type: "log", url: "https://rekor.sigstore.dev" },
};

/** `serverUrl` is that of the job's GitHub, which has its own services where an enterprise has a host of its own at ghe.com. */
export function signingServices(visibility: Visibility, serverUrl: string): SigningServices {
  if (visibility === "public") return sigstore;
  const { hostname } = new URL(serverUrl);
  const domain = hostname.endsWith(".ghe.com") ? hostname : "githubapp.com";
  return {
    fulcioUrl: `https://fulcio.${domain}`,
    witness: { type: "timestamp", url: `https://timestamp.${domain}` },
  };
}
