// Addresses of a run's files on GitHub. Pure.

import type { Environment } from "../base/environment.ts";
import type { FileLinks } from "../render/blob-url.ts";
import type { ActionEnding } from "./action-types.ts";

/** A pull request's files are those of its head, which its diff shows; the job's commit is GitHub's merge of it. */
export function fileLinks(env: Environment, { progress, delivery }: ActionEnding): FileLinks {
  const refs = "plan" in progress ? progress.plan.request?.subject?.refs : null;
  const isPushed = delivery?.type === "commit" || delivery?.type === "pull_request";
  return {
    repositoryUrl: `${env.GITHUB_SERVER_URL ?? "https://github.com"}/${env.GITHUB_REPOSITORY ?? ""}`,
    headSha: refs?.headSha ?? env.GITHUB_SHA ?? "",
    changedSha: isPushed ? delivery.sha : null,
  };
}
