// A review of a pull request that changes none of the files that are to be reviewed has nothing to say.

import * as z from "zod/mini";
import { isReviewed, type ReviewedPaths } from "../../job/findings/reviewed-paths.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { Declined } from "./declined.ts";
import { decline } from "./github-reader.ts";

/** GitHub lists at most 3,000 files of a pull request. */
const MAX_FILE_PAGES = 30;

const fileSchema = z.object({ filename: z.string() });

/** Rejects with Declined where no changed file is to be reviewed. Asks nothing where every file is. */
export async function refuseUnmatched(
  api: GitHubApi,
  { number, reviewed }: { readonly number: number; readonly reviewed: ReviewedPaths },
): Promise<void> {
  if (reviewed.paths.length + reviewed.ignorePaths.length === 0) return;
  try {
    for await (const { filename } of api.items(`/pulls/${number}/files`, fileSchema, MAX_FILE_PAGES)) {
      if (isReviewed(filename, reviewed)) return;
    }
  } catch (cause) {
    decline(cause);
  }
  const message = `Nothing ran: no file that #${number} changes is one that "paths" and "ignore-paths" let a review see.`;
  throw new Declined("paths_unmatched", message);
}
