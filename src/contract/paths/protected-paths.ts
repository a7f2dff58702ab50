// Paths that an agent's changes never touch on their own: what acts with rights of its own as soon as it is merged, pushed,
// opened or read by another agent. Pure.

import { isDotGit } from "../../base/git/dot-git.ts";
import { PathRules } from "./path-rules.ts";

export type PathGuard = (path: string) => boolean;

const known = new PathRules();

/**
 * Says of a path whether changes of it are held back. `allowed` are paths, or folders with "/", that are not; one that
 * begins with "**" + "/" counts in every folder.
 */
export function protectedPathGuard(allowed: readonly string[] = [], rules: PathRules = known): PathGuard {
  const exempt = allowed.map((path) => path.toLowerCase());
  return (path) => {
    const name = path.toLowerCase();
    // Git's own folder is nobody's to allow.
    if (name.split("/").some(isDotGit)) return true;
    return rules.is(path, "ci", "tool", "agent") && !exempt.some((entry) => covers(entry, name));
  };
}

function covers(entry: string, name: string): boolean {
  if (entry.startsWith("**/")) return `/${name}`.endsWith(entry.slice("**".length));
  return entry.endsWith("/") ? name.startsWith(entry) : name === entry;
}
