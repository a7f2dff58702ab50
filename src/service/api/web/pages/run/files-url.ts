// The address of the files that a run works on, at its code host.

import { filesUrl } from "../../../../../render/blob-url.ts";
import { placeOf } from "../../../../core/commits/run-commit.ts";
import type { Core } from "../../../../core/core.ts";

/** For `blobUrl`. Null where the run has no commit, its input is deleted, or its code host has other addresses than GitHub. */
export async function findFilesUrl({ store }: Pick<Core, "store">, runId: string): Promise<string | null> {
  const input = await store.committed.runs.findInput(runId);
  const place = input === null ? null : placeOf(input);
  if (input === null || place === null || place.provider !== "github") return null;
  const repositoryUrl = pageOf(place.cloneUrl);
  if (repositoryUrl === null) return null;
  return filesUrl({ repositoryUrl }, input.pullRequest?.headSha ?? place.sha);
}

/** The page of a repository that is cloned from there. Null: its address is not of the web, or has credentials. */
function pageOf(cloneUrl: string): string | null {
  const url = URL.parse(cloneUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return null;
  return url.origin + url.pathname.replace(/\.git$/, "");
}
