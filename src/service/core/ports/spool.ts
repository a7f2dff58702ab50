// The port to a place for contents that arrive and are too large for memory: what is written there is read some times, and
// is gone when it is closed, or when the process ends. Implemented in blobs/spool.ts.

export interface Spool {
  open(): Promise<SpoolFile>;
}

export interface SpoolFile {
  append(bytes: Uint8Array): Promise<void>;
  /** All that was written, from its start. */
  read(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}
