// The hash of a keyed request, to tell whether a later one with its key asks for the same. Pure.
// Why: docs/decisions/111-hashes-of-requests-have-a-version.md

import { hash } from "node:crypto";
import { canonicalJson } from "../../../base/canonical-json.ts";

/** The form in which requests are compared. To be increased whenever the same request gets another hash. */
export const REQUEST_FORM = 2;

/** The form beside the hash: `2:<SHA-256>`. Equal for two requests that ask for the same, however their JSON is written. */
export function hashRequest(request: unknown): string {
  return `${REQUEST_FORM}:${hash("sha256", canonicalJson(request), "hex")}`;
}

/**
 * Whether a request asks for what the kept one did, by their hashes. One that another version of the service wrote in another
 * form cannot be compared: its key is taken for the same request, which it is where a client repeats itself across an upgrade.
 */
export function isSameRequest(kept: string, asked: string): boolean {
  return kept === asked || formOf(kept) !== formOf(asked);
}

/** Without a form, which the first versions did not write: "". */
function formOf(kept: string): string {
  return kept.slice(0, Math.max(0, kept.indexOf(":")));
}
