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
  await checkOutHead(step, { settings, plan });
  const { startService } = await import("./embedded-service.ts");
  return await startService({ env, job: github.job, model: service.model });
}

/** The checkout of a comment's job is the default branch, and the comment is about the head of the pull request. */
async function checkOutHead(
  step: Step,
  { settings, plan }: Pick<Admitted<ActionTypes>, "settings" | "plan">,
): Promise<void> {
  const subject = plan.request?.subject ?? null;
  if (subject === null || subject.comment === null || subject.refs === null) return;
  const { headSha, baseRef } = subject.refs;
  const codeHost = await openCodeHost(step, settings.inputs);
  await codeHost.checkOutHead({
    pullRequest: { number: subject.number, headSha, baseRef },
    setSecret: core.setSecret,
  });
}
