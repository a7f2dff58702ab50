// Authorization servers as the core asks them, for an account's connections, and the keys that seal what they give. Implemented in
// wiring/connections.ts. Types only.

import type { Result } from "../../../base/result.ts";
import type { SealingKeys } from "../../../base/sealed-text.ts";
import type { RunEgress } from "../egress/run-egress.ts";
import type { ClientSecret, McpConnection } from "./connection.ts";

declare module "../core.ts" {
  interface Core {
    readonly connections: ConnectionKeeping;
  }
}

type ConnectionKeeping = {
  readonly servers: AuthorizationServers;
  /** Null where the operator has set none: a key of the process's own would be gone with it. */
  readonly sealingKeys: SealingKeys | null;
};

/** One sentence for people, without anything that a server said but codes. */
export type AuthorizationFault = {
  /** `refused` is the authorization server's word on the grant or the client, and final. `failed` may pass. */
  readonly reason: "refused" | "failed";
  readonly detail: string;
};

export type FoundAuthorization = {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | null;
  readonly resource: string;
  /** What is asked for. Empty: nothing by name. */
  readonly scope: string;
  readonly clientId: string;
  readonly client: ClientSecret;
  /** Whether the client is named by our document. Else it was registered just now. */
  readonly isByDocument: boolean;
  /** Whether every answer names its issuer (RFC 9207). */
  readonly namesIssuer: boolean;
};

type Client = Pick<McpConnection, "issuer" | "clientId" | "resource" | "tokenEndpoint"> & {
  readonly client: ClientSecret;
};

export type GivenTokens = {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresAt: number | null;
  /** Null: as it was asked for. */
  readonly scope: string | null;
};

export interface AuthorizationServers {
  /** Asks the server and its authorization server, and registers this service there where that has to be. */
  find(asked: {
    serverUrl: string;
    redirectUri: string;
    /** The address of our document. Null: it cannot be read from outside. */
    documentUrl: string | null;
    clientName: string;
    clientUri: string;
  }): Promise<Result<FoundAuthorization, AuthorizationFault>>;
  redeem(
    code: Client & { code: string; verifier: string; redirectUri: string },
  ): Promise<Result<GivenTokens, AuthorizationFault>>;
  /** Through what the run may reach. A request that has begun goes on when the run ends: the token may be used up by then. */
  refresh(
    token: Client & { refreshToken: string; egress: Pick<RunEgress, "admit"> },
  ): Promise<Result<GivenTokens, AuthorizationFault>>;
  /** False where it was not told. Never rejects. */
  revoke(
    token: Client & { revocationEndpoint: string; token: string; hint: "access_token" | "refresh_token" },
  ): Promise<boolean>;
}
