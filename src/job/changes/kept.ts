// Reasons why changes were not delivered and stay in the patch: thrown where that turns out, reported at the end of the
// delivery.

import { singleLine } from "../../base/untrusted-text.ts";
import type { Delivery, KeptReason } from "../../report/delivery.ts";
import type { PatchFinding } from "../../report/scan-patch.ts";

/** Only the patch has the changes. The message says why, and what to do. */
export class Kept extends Error {
  readonly reason: KeptReason;

  constructor(reason: KeptReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Kept";
    this.reason = reason;
  }
}

/** Null for an unexpected error. `patchIsIn` is a sentence: where all of the changes are. */
export function keptDelivery(cause: unknown, patchIsIn: string): Delivery | null {
  if (!(cause instanceof Kept)) return null;
  return { type: "kept", reason: cause.reason, message: `${cause.message} ${patchIsIn}` };
}

const MAX_NAMED = 5;
const MAX_PATH_CHARS = 200;

/** "a GitHub token (src/a.ts:3)", the first of them, for a sentence. */
export function namedPlaces(findings: readonly PatchFinding[]): string {
  const named = findings
    .slice(0, MAX_NAMED)
    .map(({ title, path, line }) => `${title} (${singleLine(path, MAX_PATH_CHARS)}:${line})`);
  const more = findings.length - named.length;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}

/** The first paths, for a sentence. */
export function namedPaths(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  const more = paths.length - named.length;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}
