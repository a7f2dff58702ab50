// The service that the step uses: the one that the inputs name, or one inside the job, on the job's checkout.

import * as core from "@actions/core";
import type { JobService } from "../job/job-types.ts";
import type { Admitted } from "../job/progress.ts";
import type { ActionTypes, Step } from "./action-types.ts";
import { openCodeHost } from "./github-access.ts";

export async function openService(
  step: Step,
  { settings, plan }: Admitted<ActionTypes>,
): Promise<JobService> {
  const { service } = settings.inputs;
  const { env, github } = step;
  // GitHub's tokens name the commit.
  if (service.type === "remote")
    return { ...service, tokens: github, account: settings.inputs.account, sha: "" };
  const changeNotice = await checkOutPullRequest(step, { settings, plan });
  const { startService } = await import("./embedded-service.ts");
  return await startService({ env, job: github.job, model: service.model, changeNotice });
}

/**
 * The checkout of a comment's job is the default branch, and the comment is about the head of the pull request. That of a
 * pull request's job is one commit, and shows no change. Null where the agent will see the change, else why it does not.
 */
async function checkOutPullRequest(
  step: Step,
  { settings, plan }: Pick<Admitted<ActionTypes>, "settings" | "plan">,
): Promise<string | null> {
  const subject = plan.request?.subject ?? null;
  if (subject === null || subject.refs === null) return null;
  const { headSha, baseRef } = subject.refs;
  const codeHost = await openCodeHost(step, settings.inputs);
  const options = { pullRequest: { number: subject.number, headSha, baseRef }, setSecret: core.setSecret };
  if (subject.comment === null) return await codeHost.fetchBase(options);
  await codeHost.checkOutHead(options);
  return null;
}
