// Which CI job this is, as its environment says: nobody is asked.

import type { NoProviderError } from "../ci/detect.ts";
import { readGitHubEvent } from "../ci/github-event.ts";
import type { CiProvider, CiProviderName, Environment } from "../ci/provider.ts";
import type { DoctorCheck } from "../report/doctor-page.ts";
import { type Findings, found } from "./examination.ts";

const HEADING = { id: "job", title: "The job" };

const titles: Readonly<Record<CiProviderName, string>> = {
  github: "GitHub Actions",
  gitlab: "GitLab CI",
  circleci: "CircleCI",
  buildkite: "Buildkite",
  bitbucket: "Bitbucket Pipelines",
};

/** Where each provider keeps the branch or tag, the link to the run, and who started it. */
const variables: Readonly<
  Record<CiProviderName, Readonly<Record<"ref" | "run" | "actor", readonly string[]>>>
> = {
  github: { ref: ["GITHUB_REF"], run: [], actor: ["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR"] },
  gitlab: { ref: ["CI_COMMIT_REF_NAME"], run: ["CI_PIPELINE_URL"], actor: ["GITLAB_USER_LOGIN"] },
  circleci: {
    ref: ["CIRCLE_BRANCH", "CIRCLE_TAG"],
    run: ["CIRCLE_BUILD_URL"],
    actor: ["CIRCLE_USERNAME"],
  },
  buildkite: {
    ref: ["BUILDKITE_BRANCH", "BUILDKITE_TAG"],
    run: ["BUILDKITE_BUILD_URL"],
    actor: ["BUILDKITE_BUILD_CREATOR"],
  },
  bitbucket: { ref: ["BITBUCKET_BRANCH", "BITBUCKET_TAG"], run: [], actor: [] },
};

/** "true" in jobs, also in those of a CI that cannot be used. */
const ciMarks = ["CI", "GITHUB_ACTIONS", "GITLAB_CI", "CIRCLECI", "BUILDKITE"];

/** Of GitHub: an outsider's change could steer such a job, so that a service refuses it unless its operator lets it in. */
const steerableEvents = ["pull_request_target", "workflow_run"];

/** The job of a provider that was recognised. */
export async function checkJob(provider: CiProvider, env: Environment): Promise<DoctorCheck> {
  const { job } = provider;
  const origin = await originOf(provider, env);
  const { repository, event } = job;
  const first = (names: readonly string[]) => names.map((name) => env[name]).find(Boolean);
  const { ref, run, actor } = variables[job.provider];
  return found(HEADING, {
    ...judge(event, origin),
    facts: {
      provider: titles[job.provider],
      repository: `${repository.name} (id ${repository.id || "unknown"})`,
      event,
      ref: first(ref),
      "base ref": env.GITHUB_BASE_REF,
      commit: job.sha,
      workflow: env.GITHUB_WORKFLOW_REF,
      job: job.job,
      run: runAddress(env) ?? first(run) ?? job.runId,
      attempt: job.attempt,
      "started by": first(actor),
    },
  });
}

/** What there is where no provider was recognised: somebody's own machine, or a CI that cannot be used. */
export function checkNoJob(error: NoProviderError, env: Environment): DoctorCheck {
  const isCi = env.TF_BUILD !== undefined || ciMarks.some((name) => env[name] === "true");
  if (isCi) return found(HEADING, { state: "fault", found: error.message });
  return found(HEADING, {
    state: "warning",
    found: "This is no CI job, so that there is no identity to look at. The rest is checked from here.",
    fixes: [
      {
        text: 'Run "agent-service doctor" as a step of the job that has the trouble: its page is the answer.',
      },
    ],
  });
}

type Origin = "own" | "fork" | "dependabot";

async function originOf(provider: CiProvider, env: Environment): Promise<Origin> {
  if (provider.job.provider !== "github") return "own";
  const { isForkPullRequest } = await readGitHubEvent(env);
  if (isForkPullRequest && provider.job.event === "pull_request") return "fork";
  return env.GITHUB_ACTOR === "dependabot[bot]" && provider.job.event.startsWith("pull_request")
    ? "dependabot"
    : "own";
}

function judge(event: string, origin: Origin): Omit<Findings, "facts"> {
  const what = `This is a job of "${event}"`;
  if (origin === "fork") {
    return {
      state: "warning",
      found: `${what}, for a fork's pull request. GitHub gives such a job no ID token, by design.`,
    };
  }
  if (origin === "dependabot") {
    return {
      state: "warning",
      found: `${what} that Dependabot started. GitHub gives such a job no ID token unless the workflow says so.`,
    };
  }
  if (steerableEvents.includes(event)) {
    return {
      state: "warning",
      found: `${what}, which an outsider's change could steer. A service refuses it unless its operator allows it.`,
      fixes: [
        {
          text: 'Use "pull_request", or a comment ("issue_comment"). An operator who knows the workflow can write "allow_events" into the issuer\'s entry of CI_ISSUERS.',
        },
      ],
    };
  }
  return { state: "ok", found: `${what}.` };
}

function runAddress(env: Environment): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  if (!server || !repository || !run) return null;
  return `${server}/${repository}/actions/runs/${run}`;
}
