// One call of git grep: how a pattern is given to it, and what its failures mean.

import { GitError, type GitOutput } from "../../base/git/git.ts";
import { CheckoutError, type TextQuery } from "../core/checkouts/checkout.ts";
import type { RunGit } from "./tree-files.ts";

const MAX_OUTPUT_BYTES = 2 * 1024 * 1024;
/** Of the usual time of a call: a pattern may take for ever. */
const TIMEOUT_FACTOR = 0.5;
/** A line's end is no part of it, also where it is CRLF. */
const ANY_LINE_END = "(*ANYCRLF)";

const GREP = ["grep", "-I", "-z", "--no-color", "--no-textconv", "--no-recurse-submodules"];

export type Grep = {
  readonly query: TextQuery;
  readonly options: readonly string[];
  readonly pathspecs: readonly string[];
};

/** Rejects with a `CheckoutError` for a pattern that is none or takes too long. */
export async function grepTree(runGit: RunGit, grep: Grep): Promise<GitOutput> {
  const { pattern, isRegex } = grep.query;
  try {
    if (!isRegex) return await call(runGit, grep, ["-F", "-e", pattern]);
    return await call(runGit, grep, ["-P", "-e", `${ANY_LINE_END}${pattern}`]).catch(
      async (cause: unknown) => {
        if (!(cause instanceof GitError) || !cause.stderr.includes("USE_LIBPCRE")) throw cause;
        return await call(runGit, grep, ["-E", "-e", asExtended(pattern)]);
      },
    );
  } catch (cause) {
    throw explain(cause);
  }
}

async function call(runGit: RunGit, grep: Grep, how: readonly string[]): Promise<GitOutput> {
  const { wholeWord, ignoreCase } = grep.query;
  const flags = [...(wholeWord ? ["--word-regexp"] : []), ...(ignoreCase ? ["--ignore-case"] : [])];
  return await runGit({
    args: [...GREP, ...grep.options, ...flags, ...how, "--", ...grep.pathspecs],
    // Patterns and files are UTF-8: in the C locale a letter that is no ASCII has two characters and no capital.
    env: { LC_ALL: "C.UTF-8" },
    maxOutputBytes: MAX_OUTPUT_BYTES,
    onOverflow: "keep",
    allowedExitCodes: [0, 1],
    timeoutFactor: TIMEOUT_FACTOR,
  });
}

/** The pattern for a git without PCRE. */
export function asExtended(pattern: string): string {
  return pattern
    .replace(/\\d/g, "[0-9]")
    .replace(/\\D/g, "[^0-9]")
    .replace(/\(\?:/g, "(")
    .replace(/([*+?}])\?/g, "$1");
}

function explain(cause: unknown): unknown {
  if (!(cause instanceof GitError)) return cause;
  if (cause.code === "git_timed_out") {
    const message = `${cause.message} Use a simpler pattern, or a narrower path or glob.`;
    return new CheckoutError(`The search was ended: ${message}`, { cause });
  }
  if (/pcre2\w* failed with error code -4[67]:/.test(cause.stderr)) {
    const message =
      "The pattern takes too long on some line: it backtracks without end. Avoid a repeat within a repeat, such as (a+)+.";
    return new CheckoutError(message, { cause });
  }
  // git's own words name no path: "fatal: -e option, '<pattern>': <reason>".
  const isOfPattern = /^fatal: (-e option|command line), '/.test(cause.stderr);
  const reason = isOfPattern ? /': ([^':\n]{1,120})\n?$/.exec(cause.stderr)?.[1] : undefined;
  if (reason === undefined) return cause;
  return new CheckoutError(
    `The pattern is no valid regular expression: ${reason}. Set literal for a text that stands for itself.`,
    { cause },
  );
}
