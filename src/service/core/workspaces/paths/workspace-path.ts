// Rules for paths in a workspace: those that git would put into a checkout on any system, within bounds. Pure.

import { isDotGit, isDotGitmodules } from "../../../../base/git/dot-git.ts";
import { ok, type Result, refused } from "../../../../base/result.ts";

export const MAX_PATH_BYTES = 4_096;
const MAX_SEGMENT_BYTES = 255;

export type PathRule =
  | "empty"
  | "not_unicode"
  | "too_long"
  | "nul"
  | "absolute"
  | "empty_segment"
  | "dot_segment"
  | "segment_too_long"
  | "git_folder"
  | "submodules_link"
  | "reserved_character"
  | "dot_or_space_at_end"
  | "device_name";

/** `segment` is the part of the path that breaks the rule; the whole path where no part does it alone. */
export type PathRefusal = {
  readonly reason: "path_invalid";
  readonly rule: PathRule;
  readonly path: string;
  readonly segment: string;
};

/** A file's path. `mode` is given where the file may be a symbolic link: `.gitmodules` may not. */
export function checkPath(path: string, mode?: string): Result<string, PathRefusal> {
  const whole = brokenByWhole(path);
  if (whole !== null) return refused({ reason: "path_invalid", rule: whole, path, segment: path });
  for (const segment of path.split("/")) {
    const rule = brokenBySegment(segment, mode);
    if (rule !== null) return refused({ reason: "path_invalid", rule, path, segment });
  }
  return ok(path);
}

/** A folder's path, "" for the root. */
export function checkFolder(path: string): Result<string, PathRefusal> {
  return path === "" ? ok(path) : checkPath(path);
}

/** `a/b/c` lies in `a` and `a/b`. */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    folders.push(path.slice(0, slash));
  }
  return folders;
}

function brokenByWhole(path: string): PathRule | null {
  if (path === "") return "empty";
  if (!path.isWellFormed()) return "not_unicode";
  // A character has one to three bytes: most paths need no count.
  if (path.length * 3 > MAX_PATH_BYTES && Buffer.byteLength(path) > MAX_PATH_BYTES) return "too_long";
  if (path.includes("\0")) return "nul";
  return path.startsWith("/") ? "absolute" : null;
}

function brokenBySegment(segment: string, mode: string | undefined): PathRule | null {
  if (segment === "") return "empty_segment";
  if (segment === "." || segment === "..") return "dot_segment";
  if (segment.length * 3 > MAX_SEGMENT_BYTES && Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
    return "segment_too_long";
  }
  if (isDotGit(segment)) return "git_folder";
  return mode === "120000" && isDotGitmodules(segment) ? "submodules_link" : null;
}
