// Rules for paths of a copy that may become files of a folder. The service keeps such rules of its own; a folder of somebody's
// machine does not rely on them. Pure.

import { isDotGit } from "../../base/git/dot-git.ts";

/** At the root of a synchronised folder: what is known of the copy, and files that are on their way. Never sent. */
export const RECORD_FOLDER = ".agent-service-copy";

/** Why a path cannot be a file of the folder; null where it can. */
export function pathFault(path: string, platform: NodeJS.Platform): string | null {
  if (path === "" || path.startsWith("/")) return "it is no relative path";
  if (path.includes("\0") || !path.isWellFormed()) return "it has characters that no file name has";
  const segments = path.split("/");
  if (segments[0]?.toLowerCase() === RECORD_FOLDER) return "its name is reserved";
  for (const segment of segments) {
    if (segment === "" || segment === "." || segment === "..") return "it leaves its folder";
    if (isDotGit(segment)) return "it is of git's own folder";
    if (platform === "win32" && /[\\:*?"<>|]|[. ]$/.test(segment)) return "Windows has no such file name";
  }
  return null;
}

/** Whether a name found in a folder is none of the files that are sent. */
export function isLeftOut(name: string, isAtRoot: boolean): boolean {
  return isDotGit(name) || (isAtRoot && name.toLowerCase() === RECORD_FOLDER);
}
