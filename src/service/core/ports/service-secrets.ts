// Secrets of the service itself, as the core reads and keeps them. Implemented in store/service-secrets.ts.

declare module "./store.ts" {
  interface StoreReader {
    readonly serviceSecrets: SecretReader;
  }
  interface StoreTransaction {
    readonly serviceSecrets: SecretStore;
  }
}

/** Secrets of the service itself, the same on every node. */
interface SecretReader {
  find(name: string): Promise<string | null>;
}

export interface SecretStore extends SecretReader {
  /** Keeps the first value that it is given. */
  keep(secret: { name: string; value: string; now: number }): Promise<void>;
}
