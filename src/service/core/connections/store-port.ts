// Connections, as the core reads and writes them. Implemented in store/mcp-connections.ts.

import type { ConnectionKey, McpConnection, SignInReason } from "./connection.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly mcpConnections: McpConnectionReader;
  }
  interface StoreTransaction {
    readonly mcpConnections: McpConnectionStore;
  }
}

interface McpConnectionReader {
  find(key: ConnectionKey): Promise<McpConnection | null>;
  /** An account's, by name. */
  list(accountId: string): Promise<readonly McpConnection[]>;
  /** Of all accounts, those whose tokens this key has sealed. */
  listSealedBy(keyId: string): Promise<readonly McpConnection[]>;
}

export interface McpConnectionStore extends McpConnectionReader {
  /** In the place of the one of its name. */
  put(connection: McpConnection): Promise<void>;
  /** Null where there is none. */
  delete(key: ConnectionKey): Promise<McpConnection | null>;
  /**
   * Lets one caller renew the tokens of this version for `leaseMs`: the connection as it is, or null for everybody else. Safe to race.
   */
  beginRenewal(renewal: Renewal & { leaseMs: number }): Promise<McpConnection | null>;
  /** False where the tokens are not of that version any more. */
  endRenewal(renewal: Renewal & { renewed: RenewedTokens | null }): Promise<boolean>;
  /** The same tokens under another key. False where they are not of that version any more. */
  reseal(again: Renewal & Pick<McpConnection, "sealed">): Promise<boolean>;
  /** False where the tokens are not of that version any more. */
  needSignIn(need: Renewal & { reason: SignInReason }): Promise<boolean>;
}

type Renewal = Pick<McpConnection, "id" | "version">;

/** Null leaves the tokens as they are. */
export type RenewedTokens = Pick<McpConnection, "sealed" | "expiresAt" | "scope"> & {
  readonly renewedAt: number;
};
