// The CI job, as its environment says: nobody is asked.

import type { Environment } from "../base/environment.ts";
import { isInCi, type NoProviderError } from "../ci/detect.ts";
import { readGitHubEvent } from "../ci/github-event.ts";
import { readJobRefs } from "../ci/job-refs.ts";
import type { CiJob, CiProvider } from "../ci/provider.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { eventRules } from "../contract/ci/events.ts";
import { ciProviders } from "../contract/ci/providers.ts";
import type { DoctorCheck } from "../report/doctor-page.ts";
import { type Findings, found } from "./examination.ts";

const HEADING = { id: "job", title: "The job" };

/** The job of a provider that was recognised. */
export async function checkJob(provider: CiProvider, env: Environment): Promise<DoctorCheck> {
  const { job } = provider;
  const origin = await originOf(provider, env);
  const { repository, event } = job;
  const { variables } = providerDefinitions[job.provider];
  const { runUrl, startedBy } = variables;
  return found(HEADING, {
    ...judge(job, origin),
    facts: {
      provider: ciProviders[job.provider].title,
      repository: `${repository.name} (id ${repository.id || "unknown"})`,
      event,
      ref: readJobRefs(variables, env).ref,
      "base ref": env.GITHUB_BASE_REF,
      commit: job.sha,
      workflow: env.GITHUB_WORKFLOW_REF,
      job: job.job,
      run: runAddress(env) ?? ((runUrl !== null && env[runUrl]) || job.runId),
      attempt: job.attempt,
      "started by": startedBy.map((name) => env[name]).find(Boolean),
    },
  });
}

/** The page without a recognised provider: somebody's own machine, or a CI that cannot be used. */
export function checkNoJob(error: NoProviderError, env: Environment): DoctorCheck {
  if (isInCi(env)) return found(HEADING, { state: "fault", found: error.message });
  return found(HEADING, {
    state: "warning",
    found:
      "This machine runs no CI job, so that there is no identity to look at. The rest is checked from here.",
    fixes: [
      {
        text: 'For a job that has trouble, run "agent-service doctor" as a step of it: its page is the answer.',
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

function judge({ provider, event }: CiJob, origin: Origin): Omit<Findings, "facts"> {
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
  if (eventRules(provider, event).isRefused) {
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
