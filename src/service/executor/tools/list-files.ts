// The tool that lists the files of the tree, those that git ignores left out.

import * as z from "zod/mini";
import { matchesGlob } from "../../../base/glob.ts";
import { checkRelativePath, showPath } from "./checkout-path.ts";
import { countInput, defineTool } from "./tool.ts";

const MAX_PATTERN_CHARS = 256;

export const folderInput = z._default(z.string(), "");
export const patternInput = z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_PATTERN_CHARS)));

/** Keeps the paths that lie in `folder` and match `pattern`; a pattern without a slash is matched against the name. */
export function pathFilter(wanted: {
  folder: string;
  pattern?: string | undefined;
}): (path: string) => boolean {
  const folder = checkRelativePath(wanted.folder);
  const { pattern } = wanted;
  const isNamePattern = pattern !== undefined && !pattern.includes("/");
  return (path) => {
    if (folder !== "" && !path.startsWith(`${folder}/`)) return false;
    if (pattern === undefined) return true;
    return matchesGlob(isNamePattern ? path.slice(path.lastIndexOf("/") + 1) : path, pattern);
  };
}

export type FileList = { readonly paths: readonly string[]; readonly total: number };

export const listFiles = defineTool({
  name: "list_files",
  description:
    "Lists the files, new ones too, without those that git ignores, by folder and by a pattern with *, ? and **: *.ts for names, src/**/*.ts for paths.",
  input: z.object({
    folder: folderInput,
    pattern: patternInput,
    limit: countInput({ max: 1000, fallback: 200 }),
  }),
  async find({ folder, pattern, limit }, { checkout }): Promise<FileList> {
    const isWanted = pathFilter({ folder, pattern });
    const found = (await checkout.files()).filter(isWanted);
    return { paths: found.slice(0, limit), total: found.length };
  },
  format: ({ paths, total }) => {
    const lines = paths.map(showPath);
    if (paths.length < total) lines.push(`[${paths.length} of ${total} files]`);
    return lines.length === 0 ? "[no file matches]" : lines.join("\n");
  },
});
