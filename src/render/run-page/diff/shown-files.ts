// The part of a patch that a page shows: its files and lines within bounds, secrets masked before anything is split. Pure.

import type { ChangesEvent, FileChange } from "../../../contract/runs/changes.ts";
import { maskSecrets } from "../../../report/find-secrets.ts";
import { type PatchFile, patchFiles } from "./patch-files.ts";

const MAX_FILES = 200;
const MAX_LINES_OF_FILE = 400;
const MAX_LINES = 3_000;
/** Of a line. */
export const MAX_LINE_CHARS = 1_000;

export type ShownFile = {
  readonly change: FileChange;
  /** With the lines that are shown; null where the patch does not have it. */
  readonly patch: PatchFile | null;
  /** How many lines of the patch are not shown. */
  readonly moreLines: number;
};

export function shownFiles({ files, patch }: ChangesEvent["value"]): readonly ShownFile[] {
  const parsed = new Map<string, PatchFile>();
  for (const file of patchFiles(maskSecrets(patch))) if (!parsed.has(file.path)) parsed.set(file.path, file);
  let left = MAX_LINES;
  return files.slice(0, MAX_FILES).map((change) => {
    const found = parsed.get(change.path);
    if (found === undefined) return { change, patch: null, moreLines: 0 };
    const lines = found.lines.slice(0, Math.min(MAX_LINES_OF_FILE, left));
    left -= lines.length;
    return { change, patch: { ...found, lines }, moreLines: found.lines.length - lines.length };
  });
}
