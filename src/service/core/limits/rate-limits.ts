// The port to what counts requests by caller and address. Implemented in api/shared/, in memory.

declare module "../core.ts" {
  interface Core {
    readonly limits: RateLimits;
  }
}

export interface RateLimits {
  /**
   * Takes one token of the bucket `key`, which holds `perMinute` and refills evenly. Zero when there was one, else
   * the milliseconds until there is.
   */
  take(request: { readonly key: string; readonly perMinute: number; readonly now: number }): number;
  /** Puts back a token that was taken of this bucket, if it is still there. */
  giveBack(key: string): void;
  /** The bucket of the credential with this hash; undefined where it was not accepted recently. */
  bucketOfCredential(hash: string): string | undefined;
  rememberCredential(hash: string, bucket: string): void;
  forgetCredential(hash: string): void;
}
