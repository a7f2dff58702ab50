// Rules for names that every system can hold: names that Windows refuses, names that its git refuses to check out, and names
// that are one on file systems that ignore case. Pure.
// Why: docs/decisions/126-portable-paths-and-symbolic-links.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { PathRefusal, PathRule } from "./workspace-path.ts";

/** Two names of one folder that are one file on a system that ignores case, or how accents are composed. */
export type PathCollision = {
  readonly reason: "path_collision";
  readonly path: string;
  readonly other: string;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const RESERVED_CHARACTER = /[\u0000-\u001f<>:"|?*\\]/;
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;

/** `path` is one that a workspace can hold. */
export function checkPortable(path: string): Result<string, PathRefusal> {
  for (const segment of path.split("/")) {
    const rule = brokenBy(segment);
    if (rule !== null) return refused({ reason: "path_invalid", rule, path, segment });
  }
  return ok(path);
}

function brokenBy(segment: string): PathRule | null {
  if (RESERVED_CHARACTER.test(segment)) return "reserved_character";
  if (/[. ]$/.test(segment)) return "dot_or_space_at_end";
  // With and without an extension, also behind spaces: git for Windows refuses "aux.c" as well.
  const [stem = ""] = segment.split(".", 1);
  return DEVICE.test(stem.trimEnd()) ? "device_name" : null;
}

/** The same for names that are one. */
export function foldedName(name: string): string {
  // Both ways: "ß" and "ẞ", "ſ" and "s" have one upper case, and not one lower case.
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}
