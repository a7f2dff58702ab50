// Which CI provider this process runs in, by what each sets in every job. Pure.

import { assertNever } from "../base/assert-never.ts";
import { createBitbucketProvider } from "./bitbucket.ts";
import { createBuildkiteProvider } from "./buildkite.ts";
import { createCircleCiProvider } from "./circleci.ts";
import { createGitHubProvider, type GitHubOptions } from "./github.ts";
import { createGitLabProvider, type GitLabOptions } from "./gitlab.ts";
import type { ToolOptions } from "./minted-token.ts";
import type { CiProvider, CiProviderName, Environment } from "./provider.ts";

export type DetectOptions = GitHubOptions & GitLabOptions & ToolOptions & { readonly env: Environment };

/** Set to "true" by the provider, in every job. Bitbucket has its build number in its place. */
const marks: Readonly<Record<CiProviderName, (env: Environment) => boolean>> = {
  github: (env) => env.GITHUB_ACTIONS === "true",
  gitlab: (env) => env.GITLAB_CI === "true",
  circleci: (env) => env.CIRCLECI === "true",
  buildkite: (env) => env.BUILDKITE === "true",
  bitbucket: (env) => Boolean(env.BITBUCKET_BUILD_NUMBER) && Boolean(env.BITBUCKET_REPO_UUID),
};

const titles: Readonly<Record<CiProviderName, string>> = {
  github: "GitHub Actions",
  gitlab: "GitLab CI",
  circleci: "CircleCI",
  buildkite: "Buildkite",
  bitbucket: "Bitbucket Pipelines",
};

/** This process runs in no CI job whose identity can be used. The message lists those that can. */
export class NoProviderError extends Error {
  readonly code = "provider_unknown";
  override readonly name = "NoProviderError";
}

/** The provider's name. Throws a NoProviderError for none, for one that cannot be used, and for two at once. */
export function detectProvider(env: Environment): CiProviderName {
  const names = Object.keys(marks) as CiProviderName[];
  const found = names.filter((name) => marks[name](env));
  const [only, ...more] = found;
  const supported = names.map((name) => titles[name]).join(", ");
  if (only !== undefined && more.length === 0) return only;
  if (only !== undefined) {
    const both = found.map((name) => titles[name]).join(" and ");
    throw new NoProviderError(
      `This job has the variables of ${both} at once. Unset those of the one that does not run it.`,
    );
  }
  if (env.TF_BUILD?.toLowerCase() === "true") {
    throw new NoProviderError(
      `Azure DevOps cannot be used: no job of it can have a token that is made for this service. Supported are ${supported}.`,
    );
  }
  throw new NoProviderError(`This is no CI job that can prove who it is. Supported are ${supported}.`);
}

/** The provider of this job, ready to mint. Throws as detectProvider does. */
export function createProvider(options: DetectOptions): CiProvider {
  const name = detectProvider(options.env);
  switch (name) {
    case "github":
      return createGitHubProvider(options);
    case "gitlab":
      return createGitLabProvider(options);
    case "circleci":
      return createCircleCiProvider(options);
    case "buildkite":
      return createBuildkiteProvider(options);
    case "bitbucket":
      return createBitbucketProvider(options);
    default:
      return assertNever(name);
  }
}
