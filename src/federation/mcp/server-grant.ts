// Grants by which a token for an MCP server is asked for, and the token as its sessions use it. Types and an error.

/** `issuer` is the authorization server that alone is shown the credential; null: the one that the server names. */
export type ServerGrant = { readonly scope: string | null } & (
  | {
      readonly type: "client_credentials";
      readonly clientId: string;
      /** A secret. */
      readonly clientSecret: string;
      readonly issuer: string;
    }
  | {
      readonly type: "private_key_jwt";
      readonly clientId: string;
      /** A secret: PKCS #8, in PEM. */
      readonly privateKey: string;
      readonly algorithm: string;
      readonly issuer: string;
    }
  /** The ID token of a CI job, which is made for the authorization server's issuer. */
  | { readonly type: "job"; readonly clientId: string | null; readonly issuer: string | null }
);

/** A server's answer that asks for a token: its status is 401. */
export type Challenge = Response;

/** Makes an ID token of the job for the audience, each time another. Rejects with an error whose message is for people. */
export type MintIdToken = (audience: string, signal?: AbortSignal) => Promise<string>;

/** The token of one server, as a session sends it. */
export type ServerToken = {
  /** For the next request; undefined where none was asked for yet. Rejects with ServerAccessError. */
  token(): Promise<string | undefined>;
  /** Gets another one after an answer of 401. Rejects with ServerAccessError. */
  renew(challenge: Challenge): Promise<void>;
  /** Where the token came from, for the run's readers; null where there is none. */
  origin(): string | null;
};

/** The server's authorization server gave no token. The message says why and what to do, and holds nothing that it said. */
export class ServerAccessError extends Error {
  readonly isServerAccessError = true;
  /** Whether it may pass by itself. The next try needs a fresh ID token. */
  readonly isTransient: boolean;
  readonly retryAfterMs: number | undefined;

  /** True also for an error from another bundle, which has a class of its own. */
  static is(value: unknown): value is ServerAccessError {
    return value instanceof Error && "isServerAccessError" in value;
  }

  constructor(
    message: string,
    options: {
      readonly isTransient?: boolean;
      readonly retryAfterMs?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ServerAccessError";
    this.isTransient = options.isTransient ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
