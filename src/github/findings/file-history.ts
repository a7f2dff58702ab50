// Files at two commits of a pull request, also where the later one has renamed them. Each is read once.

import * as z from "zod/mini";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { type RepositoryFile, readRepositoryFile } from "../api/repository-file.ts";

const MAX_FILE_BYTES = 512 * 1024;
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

export type Comparison = {
  /** By the path before. */
  readonly renames: ReadonlyMap<string, string>;
  readonly patches: readonly { readonly path: string; readonly patch: string }[];
  /** Files without one: binary, too large, or renamed alone. */
  readonly unshown: readonly string[];
  /** False where the commit is not among the head's own, as after a force push. */
  readonly isAhead: boolean;
  /** False where there are more files than the code host names. */
  readonly isWhole: boolean;
};

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

export function fileHistory(api: GitHubApi, headSha: string): FileHistory {
  const files = new Map<string, Promise<RepositoryFile | null>>();
  const comparisons = new Map<string, Promise<Comparison | null>>();
  const file = (path: string, ref: string) =>
    once(files, `${ref}:${path}`, () =>
      readable(readRepositoryFile(api, { path, ref, maxBytes: MAX_FILE_BYTES })),
    );
  const compare = (since: string) =>
    once(comparisons, since, async () => {
      const found = await readable(api.read(`/compare/${since}...${headSha}`, comparisonSchema));
      return found === null ? null : comparisonOf(found);
    });
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
    if (cause instanceof GitHubError) return null;
    throw cause;
  });
}
