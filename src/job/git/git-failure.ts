// The kinds of failure that git reports. Git has one exit code for all of them, so its messages and those of code hosts are matched,
// here and nowhere else. Pure.

import type { GitError } from "../../base/git/git.ts";
import { singleLine } from "../../base/untrusted-text.ts";

export type GitFailure =
  /** Somebody else pushed first. */
  | "moved"
  /** A branch "agent" exists, which excludes "agent/x". */
  | "name_taken"
  | "protected"
  | "workflow_refused"
  | "not_permitted"
  | "not_authenticated"
  | "not_found"
  | "commit_missing"
  /** Refused for a reason of the code host's. */
  | "refused"
  | "unavailable";

/** The first match counts. */
const signs: readonly (readonly [GitFailure, RegExp])[] = [
  ["workflow_refused", /refusing to allow .{0,80} to create or update workflow/i],
  [
    "protected",
    /\bGH0(06|13)\b|protected branch hook declined|repository rule violations|not allowed to (?:force )?push code to (?:a )?protected|Permission denied to update branch/i,
  ],
  ["name_taken", /' exists; cannot create '|\(directory file conflict\)/],
  ["moved", /\((stale info|fetch first|non-fast-forward)\)|cannot lock ref|failed to update ref/i],
  ["refused", /\[remote rejected\]|\[rejected\]/],
  [
    "not_permitted",
    /not allowed to push code to this project|returned error: 403\b|^remote: Permission to .{1,200} denied/im,
  ],
  ["not_authenticated", /returned error: 401\b|Authentication failed|terminal prompts disabled/i],
  ["not_found", /returned error: 404\b|repository '.{1,400}' not found/i],
  ["commit_missing", /not our ref|unadvertised object|couldn't find remote ref|no such remote ref/i],
];

export function gitFailureOf({ code, stderr }: GitError): GitFailure {
  if (code !== "git_failed") return "unavailable";
  return signs.find(([, sign]) => sign.test(stderr))?.[0] ?? "unavailable";
}

const MAX_MESSAGE_CHARS = 300;

/** The code host's own message, in one safe line; may be empty. */
export function codeHostMessage({ stderr }: GitError): string {
  const lines = [...stderr.matchAll(/^remote:[ \t]*(?:error:[ \t]*)?(\S.*)$/gm)].map(([, text = ""]) => text);
  return singleLine(lines.join(" ") || rejection(stderr), MAX_MESSAGE_CHARS);
}

/** The reason in parentheses at the end of git's line about a branch that was not taken. */
function rejection(stderr: string): string {
  const line = stderr.split("\n").find((one) => /\[(?:remote )?rejected\]/.test(one) && one.endsWith(")"));
  return line?.slice(line.lastIndexOf("(") + 1, -1) ?? "";
}
