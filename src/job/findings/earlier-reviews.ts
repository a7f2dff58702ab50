// Findings and threads of our earlier reviews of a pull request, as the code host has it now.

import { type FileHistory, fileHistory } from "./file-history.ts";
import type { Published } from "./published.ts";
import { readStanding, type StandingFinding, type StandingOptions } from "./standing-findings.ts";

type EarlierReviews = {
  readonly published: Published;
  readonly standing: readonly StandingFinding[];
  /** Files at the reviewed commits, and at the head. */
  readonly files: FileHistory;
};

/** `runId` is the run's whose findings are to be published; "" before there is one. Rejects with CodeHostError. Safe to repeat. */
export async function readEarlierReviews(
  options: Omit<StandingOptions, "files"> & { readonly runId: string },
): Promise<EarlierReviews> {
  const published = await options.host.readPublished(options);
  const files = fileHistory(options.host, options.headSha);
  return { published, files, standing: await readStanding(published, { ...options, files }) };
}
