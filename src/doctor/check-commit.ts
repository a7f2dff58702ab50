// The commit of a repository that is not public: whether a run of this job could send it.

import { tmpdir } from "node:os";
import { assertNever } from "../base/assert-never.ts";
import { findCheckoutRoot } from "../base/git/found-checkout.ts";
import { GitError } from "../base/git/git.ts";
import type { CiProvider } from "../ci/provider.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { ApiError } from "../client/errors.ts";
import type { JobClient } from "../client/job-client.ts";
import { checkoutPlace, githubHost } from "../github/git/github-host.ts";
import { type CommitPlace, commitWords } from "../job/git/commit-place.ts";
import { type CommitEstimate, estimateCommit } from "../job/git/send-commit.ts";
import { sizeText } from "../job/git/size-text.ts";
import { StepError } from "../job/step-error.ts";
import type { DoctorCheck } from "../report/doctor-page.ts";
import { type ExamineOptions, found, notTried } from "./examination.ts";
import { failureText } from "./failure-text.ts";

const COMMIT_HEADING = { id: "commit", title: "Commit for the service" };

type CommitJob = Pick<ExamineOptions, "env" | "face" | "githubToken" | "clock"> & {
  readonly provider: CiProvider;
  readonly folder: string;
  /** The job's commit; "" where nothing says it. */
  readonly sha: string;
  readonly hide: (secret: string) => void;
  readonly signal: AbortSignal;
};

/** Asks the service and looks at the checkout, with a fetch where the run would need one. Sends nothing of it. */
export async function checkCommit(client: Pick<JobClient, "commits">, job: CommitJob): Promise<DoctorCheck> {
  const { sha, clock, signal } = job;
  try {
    const commit = { sha, baseRef: null, pullRequest: null };
    return describe(await estimateCommit({ client, place: await placeOf(job), commit, clock, signal }), sha);
  } catch (cause) {
    signal.throwIfAborted();
    return refused(cause);
  }
}

/** As the step or the command would look for it. */
async function placeOf({ env, face, folder, githubToken, provider, hide }: CommitJob): Promise<CommitPlace> {
  const { job } = provider;
  const { hasRepositoryName } = providerDefinitions[job.provider].environment;
  const repository = hasRepositoryName ? job.repository.name : null;
  if (face === "action") {
    const host = githubHost({ env, token: githubToken?.value ?? "", setSecret: hide });
    return { ...checkoutPlace(env), host, repository, words: commitWords(job, host) };
  }
  const root = (await findCheckoutRoot(folder)) ?? folder;
  return { env, root, tempFolder: tmpdir(), host: null, repository, words: commitWords(job, null) };
}

function describe(estimate: CommitEstimate, sha: string): DoctorCheck {
  switch (estimate.type) {
    case "not_taken":
      return found(COMMIT_HEADING, {
        state: "warning",
        found:
          "The repository is not public, and this service takes no commits from jobs: it cannot clone it either.",
        fixes: [{ text: "Ask its operator for a newer version, or run the agent without a server." }],
      });
    case "held":
      return found(COMMIT_HEADING, {
        state: "ok",
        found: "The service holds the commit already.",
        facts: { commit: sha },
      });
    case "sendable": {
      const { history, bytes, maxBytes } = estimate;
      const facts = {
        commit: sha,
        history: `${history} ${history === 1 ? "commit" : "commits"} before it`,
        "about to send": bytes === null ? null : sizeText(bytes),
        "the service takes": sizeText(maxBytes),
      };
      if (bytes === null || bytes <= maxBytes) {
        return found(COMMIT_HEADING, {
          state: "ok",
          found: "The job can send its commit to the service.",
          facts,
        });
      }
      return found(COMMIT_HEADING, {
        state: "warning",
        found: `The commit and its history have about ${sizeText(bytes)}, and the service takes ${sizeText(maxBytes)}. The job sends less history, or is refused.`,
        facts,
        fixes: [{ text: "Ask the service's operator for more, or run the agent without a server." }],
      });
    }
    default:
      return assertNever(estimate);
  }
}

function refused(cause: unknown): DoctorCheck {
  if (cause instanceof StepError) return found(COMMIT_HEADING, { state: "fault", found: cause.message });
  if (cause instanceof ApiError && cause.status === 402) {
    return notTried(COMMIT_HEADING, "the repository's agent has to be claimed first");
  }
  if (cause instanceof GitError) {
    return found(COMMIT_HEADING, {
      state: "fault",
      found: `The checkout could not be read. ${cause.message}`,
      fixes: [{ text: "Install git 2.31 or newer where PATH finds it." }],
    });
  }
  return found(COMMIT_HEADING, {
    state: "fault",
    found: `The service does not take the commit. ${failureText(cause)}`,
  });
}
