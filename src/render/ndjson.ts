// The events file: one stored event a line. Pure.

import type { StoredRunEvent } from "../contract/runs/run-event.ts";

/** One NDJSON line, newline included. U+2028 and U+2029 are escaped: some readers end a line there. */
export function ndjsonLine(stored: StoredRunEvent): string {
  const json = JSON.stringify(stored);
  return `${json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}
