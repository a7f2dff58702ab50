// Diffs of two commits. Bitbucket takes first the commit with the changes, then the one that it is compared with.
// https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commits/#api-repositories-workspace-repo-slug-diff-spec-get (2026-11-29)

import * as z from "zod/mini";
import type { LineRange } from "../../job/findings/diff-lines.ts";
import type { Comparison } from "../../job/findings/reviews-host.ts";
import { patchFiles } from "../../render/run-page/diff/patch-files.ts";
import type { BitbucketApi } from "../bitbucket-api.ts";

const MAX_DIFF_BYTES = 8 * 1024 * 1024;
/** Of fifty files each. */
const MAX_STAT_PAGES = 20;
const STAT_PAGE = 50;

const fileSchema = z.nullable(z.object({ path: z.string() }));
const statSchema = z.object({
  status: z.string(),
  old: z.optional(fileSchema),
  new: z.optional(fileSchema),
});

type Commits = {
  readonly head: string;
  readonly base: string;
};

/** What the head has since it left the base, as git writes it; null where Bitbucket has one of them no more. Rejects with BitbucketError. */
export async function readTopicDiff(api: BitbucketApi, { head, base }: Commits): Promise<string | null> {
  return await api.readText(`/diff/${head}..${base}?topic=true`, MAX_DIFF_BYTES);
}

/** The lines of each new file that a diff shows, one range a hunk. */
export function shownRanges(diff: string): ReadonlyMap<string, readonly LineRange[]> {
  return new Map(
    patchFiles(diff).map(({ path, lines }) => {
      const ranges: LineRange[] = [];
      let first = 0;
      let last = 0;
      const close = () => {
        if (first > 0) ranges.push({ first, last });
        first = 0;
      };
      for (const { kind, newLine } of lines) {
        if (kind === "hunk") close();
        if (newLine === null) continue;
        if (first === 0) first = newLine;
        last = newLine;
      }
      close();
      return [path, ranges];
    }),
  );
}

/** Null where Bitbucket has one of them no more. Rejects with BitbucketError. */
export async function compareCommits(api: BitbucketApi, { head, base }: Commits): Promise<Comparison | null> {
  const range = `${head}..${base}`;
  const diff = await api.readText(`/diff/${range}?topic=false`, MAX_DIFF_BYTES);
  if (diff === null) return null;
  const ancestor = await api.read(`/merge-base/${range}`, z.object({ hash: z.string() }));
  const renames = new Map<string, string>();
  const named: string[] = [];
  for await (const { status, old, new: now } of api.items(
    `/diffstat/${range}?topic=false`,
    statSchema,
    MAX_STAT_PAGES,
  )) {
    named.push(now?.path ?? old?.path ?? "");
    if (status === "renamed" && old != null && now != null) renames.set(old.path, now.path);
  }
  const patches = hunksOf(diff);
  const shown = new Set(patches.map(({ path }) => path));
  return {
    renames,
    patches,
    unshown: named.filter((path) => !shown.has(path)),
    isAhead: ancestor?.hash === base,
    isWhole: named.length < MAX_STAT_PAGES * STAT_PAGE,
  };
}

/** The hunks of each file that has some. */
function hunksOf(diff: string): Comparison["patches"] {
  const signs = { added: "+", removed: "-", same: " ", hunk: "", note: "\\ " };
  return patchFiles(diff).flatMap(({ path, lines }) =>
    lines.length === 0 ? [] : [{ path, patch: lines.map(({ kind, text }) => signs[kind] + text).join("\n") }],
  );
}
