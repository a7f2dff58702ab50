// Detection of failures of the store, or of its disk: whatever met it has not failed itself, and may be tried again.

import { StorageFullError } from "./storage-full.ts";
import { StoreUnavailableError } from "./store-unavailable.ts";

export function isOfStore(cause: unknown): boolean {
  return cause instanceof StoreUnavailableError || cause instanceof StorageFullError;
}
