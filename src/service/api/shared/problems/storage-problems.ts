// What a caller is told whose request found no storage. Pure.

import type { StorageRefusal } from "../../../core/ports/storage-full.ts";
import type { ProblemsOf } from "./public-problem.ts";

export const storageProblems: ProblemsOf<StorageRefusal> = {
  storage_full: () => ({
    status: 503,
    code: "storage_full",
    message:
      "The storage of the service is full. Nothing was changed. Try again later, or tell its operator.",
    retryAfterSeconds: 30,
  }),
};
