// The log of a run in a job of GitHub Actions: folded for GitHub, kept in files, and told to the status comment.

import { randomUUID } from "node:crypto";
import type { SubmittedJob } from "../job/progress.ts";
import type { ActionStep, ActionTypes } from "./action-types.ts";

export async function openActionLog(
  { env }: ActionStep,
  { plan, run }: SubmittedJob<ActionTypes>,
): Promise<ActionTypes["log"]> {
  const { openFollowLog } = await import("../job/follow-log.ts");
  const { GithubLog } = await import("../render/github-log.ts");
  const { openJobFiles } = await import("./job-files.ts");
  const files = await openJobFiles(env);
  const log = openFollowLog({
    files,
    format: new GithubLog(randomUUID),
    write: (text) => process.stdout.write(text),
    shownAfter: run.continuedAfter ?? 0,
  });
  return {
    ...log,
    add: (stored) => {
      log.add(stored);
      plan.statusComment?.update(log.report);
    },
    files,
    close: files.close,
  };
}
