// One file of the repository at a commit. https://docs.github.com/en/rest/repos/contents#get-repository-content

import * as z from "zod/mini";
import type { RepositoryFile, RepositoryFilePlace } from "../../job/findings/reviews-host.ts";
import type { GitHubApi } from "./github-api.ts";

const contentsSchema = z.union([
  z.object({ type: z.literal("file"), size: z.int(), content: z.optional(z.string()) }),
  /** A link, a submodule; a folder is a list. */
  z.object({ type: z.string() }),
  z.array(z.unknown()),
]);

/** Rejects with GitHubError. Safe to repeat. */
export async function readRepositoryFile(
  api: GitHubApi,
  { path, ref, maxBytes }: RepositoryFilePlace,
): Promise<RepositoryFile> {
  const place = path.split("/").map(encodeURIComponent).join("/");
  const found = await api.read(`/contents/${place}?ref=${encodeURIComponent(ref)}`, contentsSchema);
  if (found === null) return { type: "missing" };
  if (!("size" in found)) return { type: "not_a_file" };
  // GitHub leaves the content of large files out.
  if (found.size > maxBytes || found.content === undefined) return { type: "too_large" };
  return { type: "file", text: Buffer.from(found.content, "base64").toString("utf8") };
}
