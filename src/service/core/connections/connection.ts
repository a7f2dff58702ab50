// A connection of an account with an MCP server: a person has signed in there, and runs of the account use the server in their name. Pure.
// Why: docs/decisions/181-connections-of-the-account.md

/** `sign_in_needed`: it is of no use until a person signs in again. */
export const connectionStates = ["connected", "sign_in_needed"] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** Why a person has to sign in again. */
export const signInReasons = [
  /** The authorization server took the refresh token no more. */
  "refused",
  /** The access token has ended, or the server refuses it, and there is no refresh token. */
  "ended",
  /** The tokens cannot be read: another key has sealed them. */
  "sealed",
  /** Whoever signed in is no member of the account any more. */
  "person_left",
] as const;
export type SignInReason = (typeof signInReasons)[number];

export type McpConnection = {
  /** Of one sign-in: its tokens are sealed for it. */
  readonly id: string;
  readonly accountId: string;
  /** As runs name it. */
  readonly name: string;
  readonly serverUrl: string;
  /** RFC 8707, as the server says it. */
  readonly resource: string;
  /** The authorization server's, to the letter. */
  readonly issuer: string;
  readonly clientId: string;
  readonly tokenEndpoint: string;
  /** RFC 7009. Null: it has none. */
  readonly revocationEndpoint: string | null;
  /** As granted, with one space between. Empty where nobody said it. */
  readonly scope: string;
  /** `ConnectionSecrets` in JSON, sealed. Bound to `id`. */
  readonly sealed: string;
  /** When the access token ends. Null: nobody said it. */
  readonly expiresAt: number | null;
  /** When the tokens were renewed. Null: they are those of the sign-in. */
  readonly renewedAt: number | null;
  /** One more for each set of tokens of this sign-in. */
  readonly version: number;
  readonly state: ConnectionState;
  readonly reason: SignInReason | null;
  /** The person who signed in. */
  readonly connectedBy: string;
  readonly connectedAt: number;
};

export type ConnectionKey = Pick<McpConnection, "accountId" | "name">;

/** What only the service and the authorization server know. */
export type ConnectionSecrets = {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly client: ClientSecret;
};

/** How the service proves to be the client. */
export type ClientSecret = {
  readonly method: "none" | "client_secret_basic" | "client_secret_post";
  readonly secret: string | null;
};

/** Connections of one account. */
export const MAX_CONNECTIONS = 50;

const texts: Readonly<Record<SignInReason, string>> = {
  refused: "its authorization server takes the refresh token no more",
  ended: "its access token has ended, and the authorization server gave no refresh token",
  sealed: "its tokens were sealed with another RUN_SECRETS_KEY",
  person_left: "whoever signed in is no member of the account any more",
};

/** Goes on after "because" or a colon. */
export function signInText(reason: SignInReason | null): string {
  return texts[reason ?? "ended"];
}
