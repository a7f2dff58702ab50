// A search as a test states it: what it does not say is as usual.

import type { TextQuery } from "../../../src/service/core/checkouts/checkout.ts";

/** For a literal text in the whole tree. */
export function textQuery(pattern: string, changes: Partial<TextQuery> = {}): TextQuery {
  const usual = { isRegex: false, wholeWord: false, ignoreCase: false, path: "", globs: [], leaveOut: [] };
  return { pattern, ...usual, ...changes };
}
