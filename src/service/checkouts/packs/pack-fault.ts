// From what went wrong with a pack to what its job is told. Pure.
// Git has no error codes: its English messages (LC_ALL=C) are read here, as in clone-refusal.ts for clones.

import { GitError } from "../../../base/git/git.ts";
import type { PackRefusal } from "../../core/commits/pack-receiver.ts";
import { CloneLimitError } from "../clone-limits.ts";
import type { PackLimits } from "./pack-limits.ts";
import { PackFaultError } from "./pack-stream.ts";

type Explanation = readonly [
  pattern: RegExp,
  reason: Exclude<PackRefusal["reason"], "overloaded">,
  why: string,
];

const TOO_LARGE = "A file in the pack is larger than this service unpacks.";

const explanations: readonly Explanation[] = [
  [/memory allocation too large|attempting to allocate|[Oo]ut of memory/, "contents_too_large", TOO_LARGE],
  [/exceeds maximum allowed size/, "contents_too_large", "The pack is larger than this service takes."],
  [
    /unresolved delta/,
    "pack_malformed",
    'The pack builds on objects that this service does not hold. Name what it builds on in "base", or send a whole pack.',
  ],
  [
    /did not receive expected object|Not all child objects of/,
    "object_absent",
    "A file or folder of the commit is neither in the pack nor held.",
  ],
  [/fsck error|error in (tree|blob|commit|tag)/, "object_refused", "The pack holds a malformed object."],
  [/invalid path/, "object_refused", "The commit holds a path that could lead out of its folder."],
  [/No space left on device/, "took_too_long", "The service's disk is full. Tell its operator."],
];

/** Git's words for a malformed object: `treeContainsDotdot`, with what it found. */
const fsckPattern = /(?:error in (?:tree|blob|commit|tag) [0-9a-f]+: |error: object [0-9a-f]+: )(\w{3,40}): /;

/** Null for what is no fault of the pack. */
export function packFaultOf(
  cause: unknown,
  { maxCpuSeconds }: Pick<PackLimits, "maxCpuSeconds">,
): PackRefusal | null {
  if (cause instanceof PackFaultError) return { reason: cause.code, detail: cause.message };
  if (cause instanceof CloneLimitError) {
    return cause.code === "clone_timed_out"
      ? { reason: "took_too_long", detail: `The pack was not taken: ${cause.message}.` }
      : { reason: "contents_too_large", detail: `The pack was not taken: ${cause.message}.` };
  }
  if (!(cause instanceof GitError)) return null;
  if (cause.code === "git_cpu_spent") {
    const detail =
      `The pack takes more than the ${maxCpuSeconds} s of processor time that this service checks it for. ` +
      "Send fewer commits at once, or leave large generated files out of the history.";
    return { reason: "took_too_long", detail };
  }
  if (cause.code === "git_timed_out") {
    return { reason: "took_too_long", detail: "The pack took longer to check than this service allows." };
  }
  if (cause.code !== "git_failed") return null;
  const [, fault] = fsckPattern.exec(cause.stderr) ?? [];
  for (const [pattern, reason, why] of explanations) {
    if (!pattern.test(cause.stderr)) continue;
    const named = reason === "object_refused" && fault !== undefined ? `: ${fault}.` : ".";
    return { reason, detail: why.replace(/\.$/, named) };
  }
  return { reason: "pack_malformed", detail: "The pack is damaged or cut off." };
}
