// What a store throws that has no room for what it has to write.

export type StorageRefusal = { readonly reason: "storage_full" };

/** There is no room, or the device fails. Nothing was changed. */
export class StorageFullError extends Error {
  readonly code = "storage_full";

  constructor(cause: unknown) {
    super("The storage is full.", { cause });
  }
}
