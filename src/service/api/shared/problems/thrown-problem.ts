// The problem of a thrown error, by its stable code: a part of the API that is a bundle of its own has classes of its own. The
// cause is for the log alone. Pure.

import type { BlobStoreError, ContentsLostError } from "../../../core/blobs/blob-store.ts";
import type { PublicProblem } from "../../../core/ports/problem.ts";
import type { StorageFullError } from "../../../core/ports/storage-full.ts";
import { STORE_RETRY_SECONDS, type StoreUnavailableError } from "../../../core/ports/store-unavailable.ts";
import { toProblem } from "./to-problem.ts";

type KnownCode = (BlobStoreError | ContentsLostError | StorageFullError | StoreUnavailableError)["code"];

const known: Readonly<Record<KnownCode, () => PublicProblem>> = {
  store_unavailable: () => ({
    status: 503,
    code: "unavailable",
    message: "The service's store cannot answer now. Try again in a moment.",
    retryAfterSeconds: STORE_RETRY_SECONDS,
  }),
  blobs_unavailable: () => ({
    status: 503,
    code: "storage_unavailable",
    message:
      "The service's storage of large files and commits cannot be used now. Try again in a moment, or tell its operator.",
    retryAfterSeconds: 5,
  }),
  contents_lost: () => ({
    status: 500,
    code: "contents_lost",
    message:
      "The contents are missing from the service's storage, or are damaged there. To try again does not help: send the same contents once more, or tell the service's operator.",
  }),
  storage_full: () => toProblem({ reason: "storage_full" }),
};

export function problemOfThrown(cause: unknown): PublicProblem {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  if (isKnown(code)) return known[code]();
  return { status: 500, code: "internal", message: "internal error" };
}

function isKnown(code: unknown): code is KnownCode {
  return typeof code === "string" && Object.hasOwn(known, code);
}
