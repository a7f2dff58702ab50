// The result of attesting the commit that the job pushed. Types only.

export type Attestation =
  | { readonly type: "attested"; readonly sha: string; readonly url: string }
  /** The push stands. The message says why, and what to do. */
  | { readonly type: "failed"; readonly message: string };
