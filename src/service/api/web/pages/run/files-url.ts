// The address of the files that a run works on, at its code host. Pure.

import { filesUrl } from "../../../../../render/blob-url.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { repositoryPage } from "../../../shared/about-view.ts";

/** For `blobUrl`. Null where it is not known: other code hosts than GitHub have other addresses. */
export function filesUrlOf({ about }: Pick<RunRecord, "about">): string | null {
  if (about?.provider !== "github" || about.sha === undefined) return null;
  const repositoryUrl = repositoryPage(about);
  return repositoryUrl === null ? null : filesUrl({ repositoryUrl }, about.sha);
}
