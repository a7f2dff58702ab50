// The error of a store that has no room for a write.

import type { ProblemTable } from "./problem.ts";

/** There is no room, or the device fails. Nothing was changed. */
export class StorageFullError extends Error {
  readonly code = "storage_full";

  constructor(cause: unknown) {
    super("The storage is full.", { cause });
  }
}

export const storageProblems = {
  storage_full: () => ({
    status: 503,
    code: "storage_full",
    message:
      "The storage of the service is full. Nothing was changed. Try again later, or tell its operator.",
    retryAfterSeconds: 30,
  }),
} satisfies ProblemTable;
