// What a commit status says of a review, on code hosts that have no check runs. Pure.

import { plural } from "../../render/quantities.ts";
import { convergence, type PublishedFindings, severityCounts } from "../../report/findings.ts";

/** "1 error, 2 notices" of a first review, "2 open (1 new), 3 fixed" of every later one. */
export function statusDescription(published: PublishedFindings): string {
  const { fresh, open, unread } = published;
  const later = convergence(published);
  if (later !== "") return later;
  if (fresh.length + open.length > 0)
    return `${plural(fresh.length + open.length, "finding")}: ${severityCounts([...fresh, ...open])}`;
  return unread === null ? "No findings" : "Earlier findings are not known";
}
