// The tool that lists the tree: folders with the number of their files, files with their sizes, those that git ignores left out.

import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { Checkout } from "../../core/checkouts/checkout.ts";
import { showPath } from "./checkout-path.ts";
import { takePage } from "./result-page.ts";
import { openScope, pathTest, type Scope, scopeInputs, scopeText } from "./search-scope.ts";
import { defineTool } from "./tool.ts";
import { countInput, described, offsetInput } from "./tool-input.ts";

const DEFAULT_ENTRIES = 200;
const MAX_ENTRIES = 1_000;
const MAX_DEPTH = 30;

type ListedEntry =
  | { readonly kind: "folder"; readonly path: string; readonly files: number }
  /** Null: it is a link, or gone meanwhile. */
  | { readonly kind: "file"; readonly path: string; readonly bytes: number | null };

type FileList = {
  readonly entries: readonly ListedEntry[];
  readonly offset: number;
  readonly total: number;
  /** Below the folder. */
  readonly files: number;
  /** Why there is nothing; null where there is something. */
  readonly nothing: string | null;
};

export const listFiles = defineTool({
  name: "list_files",
  description:
    "Lists a folder, new files too, without those that git ignores: folders first, with the number of files below them, then files with their sizes. With glob: all files that match, however deep.",
  input: z.object({
    ...scopeInputs,
    depth: described(
      z.optional(z.int().check(z.minimum(1), z.maximum(MAX_DEPTH))),
      "How many levels of folders are opened. Default: as many as fit on a page.",
    ),
    offset: offsetInput("The first entry to list."),
    limit: countInput({
      max: MAX_ENTRIES,
      fallback: DEFAULT_ENTRIES,
      description: "How many entries to list.",
    }),
  }),
  async find({ path, glob, depth, offset, limit }, { checkout }): Promise<FileList> {
    const scope = await openScope(checkout, { path, glob });
    const all = await checkout.files();
    const files = all.filter(scope.has);
    const wanted =
      scope.glob === null && scope.kind === "folder"
        ? entriesBelow(files, { folder: scope.path, depth, limit })
        : files.map(fileEntry);
    const listed = wanted.slice(offset - 1, offset - 1 + limit);
    return {
      entries: await withSizes(checkout.root, listed),
      offset,
      total: wanted.length,
      files: files.length,
      nothing: files.length === 0 ? await whyNothing(checkout, { scope, all }) : null,
    };
  },
  format: ({ entries, offset, total, files, nothing }) => {
    if (nothing !== null) return `[no file: ${nothing}]`;
    const lines = entries.map(describeEntry);
    const page = { offset, total, noun: "entries" };
    return takePage(lines, total === files ? page : { ...page, always: `${countOf(files)} in all` });
  },
});

function describeEntry(entry: ListedEntry): string {
  if (entry.kind === "folder") return `${showPath(`${entry.path}/`)}  ${countOf(entry.files)}`;
  const { path, bytes } = entry;
  return `${showPath(path)}  ${bytes === null ? "link" : sizeText(bytes)}`;
}

function countOf(files: number): string {
  return `${files} ${files === 1 ? "file" : "files"}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function fileEntry(path: string): ListedEntry {
  return { kind: "file", path, bytes: null };
}

type Folder = { readonly folders: Map<string, Folder>; readonly files: string[]; count: number };

/** To the depth that is wanted, or to the greatest that fits into the limit. */
function entriesBelow(
  files: readonly string[],
  wanted: { readonly folder: string; readonly depth: number | undefined; readonly limit: number },
): readonly ListedEntry[] {
  const { folder, depth, limit } = wanted;
  const root = treeOf(files, folder);
  const atDepth = (levels: number) => listFolder(root, { path: folder, levels });
  if (depth !== undefined) return atDepth(depth);
  let best = atDepth(1);
  for (let levels = 2; levels <= MAX_DEPTH; levels += 1) {
    const next = atDepth(levels);
    if (next.length > limit) break;
    const isAll = next.every(({ kind }) => kind === "file");
    best = next;
    if (isAll) break;
  }
  return best;
}

function treeOf(files: readonly string[], folder: string): Folder {
  const root: Folder = { folders: new Map(), files: [], count: 0 };
  for (const path of files) {
    const segments = path.slice(folder === "" ? 0 : folder.length + 1).split("/");
    segments.pop();
    let at = root;
    at.count += 1;
    for (const segment of segments) {
      let next = at.folders.get(segment);
      if (next === undefined) {
        next = { folders: new Map(), files: [], count: 0 };
        at.folders.set(segment, next);
      }
      at = next;
      at.count += 1;
    }
    at.files.push(path);
  }
  return root;
}

function listFolder(
  folder: Folder,
  { path, levels }: { readonly path: string; readonly levels: number },
): ListedEntry[] {
  const entries: ListedEntry[] = [];
  for (const [name, inner] of folder.folders) {
    const innerPath = path === "" ? name : `${path}/${name}`;
    if (levels > 1) entries.push(...listFolder(inner, { path: innerPath, levels: levels - 1 }));
    else entries.push({ kind: "folder", path: innerPath, files: inner.count });
  }
  return [...entries, ...folder.files.map(fileEntry)];
}

/** Of files that no link leads to. */
async function withSizes(root: string, entries: readonly ListedEntry[]): Promise<readonly ListedEntry[]> {
  const folders = new Map<string, Promise<boolean>>();
  const isReal = (folder: string) => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const place = join(root, folder);
    const answer = Promise.all([realpath(root), realpath(place)]).then(
      ([realRoot, real]) => real === join(realRoot, folder),
      () => false,
    );
    folders.set(folder, answer);
    return answer;
  };
  return await Promise.all(
    entries.map(async (entry) => {
      if (entry.kind === "folder" || !(await isReal(dirname(entry.path)))) return entry;
      const about = await lstat(join(root, entry.path)).catch(() => null);
      return { ...entry, bytes: about?.isFile() === true ? about.size : null };
    }),
  );
}

async function whyNothing(
  checkout: Checkout,
  { scope, all }: { readonly scope: Scope; readonly all: readonly string[] },
): Promise<string> {
  const { path, globs } = scope;
  const ignored = (await checkout.ignored()).find((one) => path === one || path.startsWith(`${one}/`));
  if (path !== "" && ignored !== undefined) {
    return `git ignores ${showPath(ignored)}, and what it ignores is not listed; read_file reads it by its path`;
  }
  const below = all.filter(pathTest({ path, globs: [] }));
  if (globs.length === 0)
    return path === "" ? "the repository is empty" : `${showPath(path)} holds no file that git would track`;
  const others = below.filter(pathTest(scope, { ignoreCase: true })).length;
  const hint = others === 0 ? "" : `; ${others} match in other case`;
  return `none of ${below.length} files matches ${scopeText(scope)}${hint}`;
}
