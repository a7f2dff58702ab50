// Addresses of files on a code host. Pure.

/** Of a repository at a commit. */
export type FileLinks = {
  /** The repository's page, without a trailing slash. */
  readonly repositoryUrl: string;
  /** The name that a file's address has before the commit: Bitbucket's is "src". Left out: "blob". */
  readonly files?: "src" | undefined;
  /** The commit that the run was about. */
  readonly headSha: string;
  /** The commit that has the changes; null where they were not pushed. */
  readonly changedSha: string | null;
};

/** Lines of that version, both inclusive; left out for the whole file. */
type BlobPlace = { readonly path: string; readonly startLine?: number; readonly line?: number };

/** `filesUrl` is ".../blob/<sha>", or Bitbucket's ".../src/<sha>". */
export function blobUrl(filesUrl: string, { path, startLine, line }: BlobPlace): string {
  const file = `${filesUrl}/${path.split("/").map(encodeURIComponent).join("/")}`;
  if (line === undefined) return file;
  const isLine = startLine === undefined || startLine === line;
  if (/\/src\/[0-9a-f]{40,64}$/.test(filesUrl))
    return `${file}#lines-${isLine ? line : `${startLine}:${line}`}`;
  return isLine ? `${file}#L${line}` : `${file}#L${startLine}-L${line}`;
}

/** For `blobUrl`. */
export function filesUrl(
  { repositoryUrl, files }: Pick<FileLinks, "repositoryUrl" | "files">,
  sha: string,
): string {
  return `${repositoryUrl}/${files ?? "blob"}/${sha}`;
}
