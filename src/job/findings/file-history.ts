// Files at two commits of a pull request, also where the later one has renamed them. Each is read once.

import { CodeHostError } from "../code-host/code-host-error.ts";
import type { Comparison, RepositoryFile, ReviewsReader } from "./reviews-host.ts";

const MAX_FILE_BYTES = 512 * 1024;

export type FileHistory = {
  /**
   * The file at both commits, and where it is now. `after` is null where it is gone; all is null where a file cannot be
   * compared: too large, no text, or not readable.
   */
  versions(
    path: string,
    since: string,
  ): Promise<{ readonly path: string; readonly before: string; readonly after: string | null } | null>;
  /** Null where the code host compares them no more. */
  compare(since: string): Promise<Comparison | null>;
};

export function fileHistory(host: ReviewsReader, headSha: string): FileHistory {
  const files = new Map<string, Promise<RepositoryFile | null>>();
  const comparisons = new Map<string, Promise<Comparison | null>>();
  const file = (path: string, ref: string) =>
    once(files, `${ref}:${path}`, () => readable(host.readFile({ path, ref, maxBytes: MAX_FILE_BYTES })));
  const compare = (since: string) => once(comparisons, since, () => readable(host.compare(since, headSha)));
  return {
    compare,
    versions: async (path, since) => {
      const before = await file(path, since);
      if (before?.type !== "file") return null;
      const same = await file(path, headSha);
      if (same?.type === "file") return { path, before: before.text, after: same.text };
      if (same?.type !== "missing") return null;
      const changes = await compare(since);
      if (changes === null) return null;
      const renamed = changes.renames.get(path);
      if (renamed === undefined) return changes.isWhole ? { path, before: before.text, after: null } : null;
      const after = await file(renamed, headSha);
      return after?.type === "file" ? { path: renamed, before: before.text, after: after.text } : null;
    },
  };
}

async function once<Value>(
  values: Map<string, Promise<Value>>,
  key: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const value = values.get(key) ?? read();
  values.set(key, value);
  return await value;
}

/** Without `contents: read` the files of a private repository cannot be compared. */
async function readable<Value>(read: Promise<Value>): Promise<Value | null> {
  return await read.catch((cause: unknown) => {
    if (cause instanceof CodeHostError) return null;
    throw cause;
  });
}
