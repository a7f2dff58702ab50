// Whether a failure is the store's, or its disk's: whatever met it has not failed itself, and may be tried again.

import { StorageFullError } from "./storage-full.ts";
import { StoreUnavailableError } from "./store-unavailable.ts";

export function isOfStore(cause: unknown): boolean {
  return cause instanceof StoreUnavailableError || cause instanceof StorageFullError;
}
