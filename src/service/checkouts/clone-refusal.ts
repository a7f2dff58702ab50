// From the failure of a clone to the one line that the run shows. Pure.
// Git has no error codes: its English messages (LC_ALL=C) are read here and nowhere else.

import { GitError } from "../../base/git/git.ts";
import type { CheckoutRefusal, CheckoutSource } from "../core/checkouts/checkout.ts";
import { CloneLimitError, type CloneLimits } from "./clone-limits.ts";
import { PullRequestMovedError } from "./fetch-pull-request.ts";
import { RemoteRefusedError, remoteRefusalOf } from "./remotes/remote-refusal.ts";

const MAX_QUOTED_CHARS = 160;
const NOT_CLONED = "a repository that is not public is not cloned: its job sends the commit";

type Explanation = readonly [pattern: RegExp, reason: CheckoutRefusal["reason"], why: string];

const explanations: readonly Explanation[] = [
  [/transport '[^']*' not allowed/, "clone_refused", "only https:// is allowed for cloning"],
  [
    /returned error: 30\d|unable to update url base from redirection/,
    "clone_refused",
    "the server redirects to another address, which is not followed (a renamed repository redirects)",
  ],
  [
    /repository '[^']*' not found|returned error: 404/,
    "clone_failed",
    `the server says the repository was not found (${NOT_CLONED})`,
  ],
  [
    /could not read Username|Authentication failed|returned error: 40[13]/,
    "clone_failed",
    `the server asks for credentials (${NOT_CLONED})`,
  ],
  [
    /returned error: 429/,
    "clone_failed",
    "the server says that there were too many requests; try again later",
  ],
  [/returned error: 5\d\d/, "clone_failed", "the server answered with an error of its own; try again later"],
  [
    /not our ref|couldn't find remote ref|unadvertised object/,
    "clone_failed",
    "the server does not have this commit; its branch may have been force-pushed or deleted",
  ],
  [/Could not resolve (host|proxy)/, "clone_failed", "the server's name could not be resolved"],
  [/SSL|certificate|TLS/, "clone_failed", "the server's certificate was not accepted"],
  [/Failed to connect|Couldn't connect/, "clone_failed", "the server could not be reached"],
  [/invalid path/, "clone_refused", "the commit holds a path that could lead out of its folder"],
  [
    /fsck error|error in (tree|blob|commit|tag|packed)/,
    "clone_refused",
    "the commit holds malformed objects",
  ],
  [
    /memory allocation too large|attempting to allocate/,
    "clone_too_large",
    "a file in its history is too large",
  ],
];

/** The refusal for a failed clone. Throws what is no failure of the clone. */
export function refusalOf(
  cause: unknown,
  source: CheckoutSource,
  { maxCpuSeconds }: Pick<CloneLimits, "maxCpuSeconds">,
): CheckoutRefusal {
  if (cause instanceof CloneLimitError)
    return { reason: cause.code, detail: describe(source, cause.message) };
  if (cause instanceof PullRequestMovedError)
    return { reason: cause.code, detail: describe(source, cause.message) };
  if (cause instanceof RemoteRefusedError)
    return { reason: "clone_failed", detail: describe(source, cause.message) };
  if (!(cause instanceof GitError)) throw cause;
  const shown = source.remote === undefined ? null : remoteRefusalOf(cause, source.remote.credential.kind);
  if (shown !== null) return { reason: "clone_failed", detail: describe(source, shown.detail) };
  if (cause.code === "git_not_started") {
    return { reason: "service_fault", detail: describe(source, "the service has no git; tell its operator") };
  }
  if (cause.code === "git_timed_out")
    return { reason: "clone_timed_out", detail: describe(source, cause.message.replace(/\.$/, "")) };
  const complaints = ownComplaints(cause.stderr);
  if (cause.code === "git_cpu_spent" || wasUnfoldingEnded(complaints)) {
    const why =
      `git was ended while it unfolded its objects, for which it may take ${maxCpuSeconds} s of processor time; ` +
      "leave large generated files out of its history";
    return { reason: "clone_timed_out", detail: describe(source, why) };
  }
  const missing = source.pullRequest && /couldn't find remote ref (\S+)/.exec(complaints.join("\n"))?.[1];
  if (missing !== undefined) {
    const why = `the server has no ${quotable(missing)}; look at the number of the pull request and at the branch that it goes to`;
    return { reason: "clone_failed", detail: describe(source, why) };
  }
  for (const [pattern, reason, why] of explanations) {
    if (pattern.test(complaints.join("\n"))) return { reason, detail: describe(source, why) };
  }
  const last = complaints.at(-1);
  const why = last === undefined ? cause.message.replace(/\.$/, "") : `git says "${quotable(last)}"`;
  return { reason: "clone_failed", detail: describe(source, why) };
}

/** The process that `git fetch` starts for it was ended: it says itself what else stops it. */
function wasUnfoldingEnded(complaints: readonly string[]): boolean {
  return complaints.length === 1 && complaints[0]?.endsWith("fetch-pack: invalid index-pack output") === true;
}

/** One line: which repository, which commit, why not. */
export function describe(source: CheckoutSource, why: string): string {
  return `Could not clone ${source.repository} at ${source.sha.slice(0, 7)}: ${why}.`;
}

/** Errors of git itself: not what the server had it print, and without URLs. */
function ownComplaints(stderr: string): string[] {
  const lines = stderr.split("\n").filter((line) => /^(fatal|error): /.test(line));
  return lines.map((line) => line.replace(/(?<![a-z])[a-z]+:\/\/[^\s']+/gi, "<url>"));
}

/** Without paths of this machine and without control characters. */
function quotable(line: string): string {
  const shown = line.replace(/(^|[\s'"])\/[^\s'"]+/g, "$1<path>").replace(/\p{C}+/gu, " ");
  return shown.slice(0, MAX_QUOTED_CHARS);
}
