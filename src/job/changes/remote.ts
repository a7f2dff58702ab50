// The repository on the code host, over git with the job's token: reads branches, fetches commits, pushes.

import type { BackoffPolicy } from "../../base/backoff.ts";
import { nextDelayMs } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Git } from "../../base/git/git.ts";
import { GitError } from "../../base/git/git.ts";
import { codeHostMessage, type GitFailure, gitFailureOf } from "../git/git-failure.ts";
import { credentialOf, type GitHost, repositoryUrl, transportOf } from "../git/job-git.ts";
import type { ChangesWords } from "./changes-host.ts";
import { Kept } from "./kept.ts";

const RETRY: BackoffPolicy = { attempts: 4, firstDelayMs: 500, maxDelayMs: 15_000 };
/** A fetch brings one whole commit; a push sends little. */
const TIMEOUT_FACTOR = 5;

type RemoteOptions = {
  readonly git: Git;
  readonly host: GitHost;
  readonly words: ChangesWords;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
};

type Push = {
  readonly sha: string;
  readonly branch: string;
  /** The commit that the branch must be at; null where the branch must not exist. */
  readonly expected: string | null;
};

/** Calls reject with Kept, or with the signal's reason. */
export class Remote {
  readonly #options: RemoteOptions;
  readonly #url: string;
  readonly #credential: Readonly<Record<string, string>>;

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.#url = repositoryUrl(options.host);
    this.#credential = credentialOf(options.host);
  }

  /** The newest commit of a branch; null where there is no such branch. */
  async tip(branch: string): Promise<string | null> {
    const ref = `refs/heads/${branch}`;
    const output = await this.#reach(["ls-remote", "--quiet", this.#url, ref], "read");
    for (const line of output.split("\n")) {
      const [sha = "", name] = line.split("\t");
      if (name === ref) return sha;
    }
    return null;
  }

  /** Fetches a commit, with `depth` commits of its history. False where the code host does not know it. */
  async fetch(sha: string, depth = 1): Promise<boolean> {
    const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", `--depth=${depth}`];
    try {
      await this.#reach([...args, this.#url, sha], "read");
      return true;
    } catch (cause) {
      if (cause instanceof Kept && failureOf(cause) === "commit_missing") return false;
      throw cause;
    }
  }

  /** "moved": the branch is not where it was expected. */
  async push({ sha, branch, expected }: Push): Promise<"pushed" | "moved"> {
    const ref = `refs/heads/${branch}`;
    const args = ["push", "--quiet", "--no-verify", `--force-with-lease=${ref}:${expected ?? ""}`];
    try {
      await this.#reach([...args, this.#url, `${sha}:${ref}`], "write");
      return "pushed";
    } catch (cause) {
      if (!(cause instanceof Kept)) throw cause;
      // The push may have arrived although its answer was lost: the branch tells.
      const failure = failureOf(cause);
      if (failure === "moved") return "moved";
      if (failure === "unavailable" && (await this.tip(branch)) === sha) return "pushed";
      throw cause;
    }
  }

  async #reach(args: readonly string[], purpose: "read" | "write"): Promise<string> {
    const { git, host, words, signal, clock, random, onNote } = this.#options;
    const transport = transportOf(host);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { stdout } = await git({
          args,
          env: this.#credential,
          transport,
          signal,
          timeoutFactor: TIMEOUT_FACTOR,
        });
        return stdout.toString("utf8");
      } catch (cause) {
        if (!(cause instanceof GitError)) throw cause;
        const mayPass = cause.code === "git_failed" && gitFailureOf(cause) === "unavailable";
        const delayMs = mayPass ? nextDelayMs(RETRY, { attempt, random: random() }) : null;
        if (delayMs === null) throw keptBy(cause, { purpose, words });
        onNote(`${cause.message} Trying again in ${(delayMs / 1000).toFixed(1)} s.`);
        await clock.sleep(delayMs, signal);
      }
    }
  }
}

function failureOf({ cause }: Kept): GitFailure | null {
  return cause instanceof GitError ? gitFailureOf(cause) : null;
}

/** The failure with a message that names the fix. */
function keptBy(
  cause: GitError,
  { purpose, words }: { readonly purpose: "read" | "write"; readonly words: ChangesWords },
): Kept {
  const { host } = words;
  const text = codeHostMessage(cause);
  const said = text === "" ? "" : ` ${host} says: ${text}`;
  const because = (reason: Kept["reason"], message: string) => new Kept(reason, message, { cause });
  switch (gitFailureOf(cause)) {
    case "protected":
      return because(
        "branch_protected",
        `The changes were not pushed: the branch is protected.${said} ${words.usePullRequest}, or ${words.letBypass}.`,
      );
    case "workflow_refused":
      return because(
        "permission_missing",
        `The changes were not pushed: they include a change of a workflow, which a job's token may not push. ${words.workflowRefused}`,
      );
    case "not_permitted":
    case "not_found":
      return because(
        "permission_missing",
        `The changes were not pushed: this job may not ${purpose} the repository. ${words.mayPush}`,
      );
    case "not_authenticated":
      return because(
        "permission_missing",
        `The changes were not pushed: ${host} does not accept ${words.badToken}`,
      );
    case "name_taken":
      return because(
        "branch_taken",
        `The changes were not pushed: another branch is in the way of this name.${said} Rename or delete it, or ${words.otherPrefix}.`,
      );
    case "moved":
    case "refused":
      return because("push_refused", `The changes were not pushed: ${host} refused them.${said}`);
    case "commit_missing":
      return because("patch_unusable", `The changes were not pushed: their base commit is not on ${host}.`);
    case "unavailable":
      return because(
        "code_host_unavailable",
        `The changes were not pushed: git cannot reach ${host}. ${cause.message} ${words.retry}`,
      );
  }
}
