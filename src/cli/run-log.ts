// How each CI provider folds a job's log. Pure.

import { randomUUID } from "node:crypto";
import type { CiProviderName } from "../ci/provider.ts";
import { BuildkiteLog } from "../render/buildkite-log.ts";
import { GithubLog } from "../render/github-log.ts";
import { GitlabLog } from "../render/gitlab-log.ts";
import type { LogFormat } from "../render/log-parts.ts";
import { PlainLog } from "../render/plain-log.ts";

/** The provider's own sections where it has them. */
export function logFormat(provider: CiProviderName | null): LogFormat {
  switch (provider) {
    case "github":
      return new GithubLog(randomUUID);
    case "gitlab":
      return new GitlabLog(Date.now);
    case "buildkite":
      return new BuildkiteLog();
    case "circleci":
    case "bitbucket":
    case null:
      return new PlainLog();
  }
}
