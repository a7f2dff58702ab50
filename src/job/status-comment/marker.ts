// The hidden line by which a job finds its own comment again. Pure.

import { createHash } from "node:crypto";

/** The same words give the same line: what names the place of a comment among all of a job's repository. */
export function markerOf(place: readonly unknown[]): string {
  const hash = createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, 32);
  return `<!-- agent-service:comment ${hash} -->`;
}
