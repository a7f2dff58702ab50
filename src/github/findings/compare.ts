// Two commits of a repository compared, as GitHub does it.

import * as z from "zod/mini";
import type { Comparison } from "../../job/findings/reviews-host.ts";
import type { GitHubApi } from "../api/github-api.ts";

const MAX_COMPARED_FILES = 300;

/** https://docs.github.com/en/rest/commits/commits#compare-two-commits: at most 300 files. */
const comparisonSchema = z.object({
  status: z.optional(z.string()),
  files: z.optional(
    z.array(
      z.object({
        filename: z.string(),
        previous_filename: z.optional(z.string()),
        patch: z.optional(z.nullable(z.string())),
      }),
    ),
  ),
});

/** Null where GitHub compares them no more. Rejects with GitHubError. */
export async function compareCommits(
  api: GitHubApi,
  { since, headSha }: { readonly since: string; readonly headSha: string },
): Promise<Comparison | null> {
  const found = await api.read(`/compare/${since}...${headSha}`, comparisonSchema);
  return found === null ? null : comparisonOf(found);
}

function comparisonOf({ files = [], status }: z.infer<typeof comparisonSchema>): Comparison {
  return {
    renames: new Map(
      files.flatMap(({ filename, previous_filename: earlier }) =>
        earlier === undefined ? [] : [[earlier, filename] as const],
      ),
    ),
    patches: files.flatMap(({ filename: path, patch }) => (patch == null ? [] : [{ path, patch }])),
    unshown: files.flatMap(({ filename, patch }) => (patch == null ? [filename] : [])),
    isAhead: status === "ahead" || status === "identical",
    isWhole: files.length < MAX_COMPARED_FILES,
  };
}
