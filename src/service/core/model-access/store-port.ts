// Secrets of a run, sealed by the core: a row for its model, one for its MCP servers, from its submission to its end. They are in a table where
// an operator's key sealed them; otherwise the embedded store has them in the memory of its process alone. Implemented in store/run-secrets.ts.

declare module "../ports/store.ts" {
  interface StoreTransaction {
    readonly runSecrets: RunSecretStore;
  }
}

export interface RunSecretStore {
  find(runId: string): Promise<RunSecret | null>;
  /** Inserts the run's secret, or replaces one that ends earlier. The caller has locked the run, or makes it. */
  keep(secret: RunSecret): Promise<void>;
  /** Deletes all that the run has. Safe to repeat. */
  delete(runId: string): Promise<void>;
}

/** In the place of the run's id, for what it has for its MCP servers. */
export function serverSecretsOf(runId: string): string {
  return `${runId}:mcp`;
}

export type RunSecret = {
  readonly runId: string;
  /** As `seal` writes it, bound to `runId`. */
  readonly sealed: string;
  readonly expiresAt: number;
};
