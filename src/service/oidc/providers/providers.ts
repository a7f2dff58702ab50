// Providers whose tokens are verified and read, by name. Pure.

import type { CiProviderName } from "../../../contract/ci/providers.ts";
import { bitbucketProvider } from "./bitbucket.ts";
import { buildkiteProvider } from "./buildkite.ts";
import { circleciProvider } from "./circleci.ts";
import { githubProvider } from "./github.ts";
import { gitlabProvider } from "./gitlab.ts";
import type { Provider } from "./provider.ts";

export const providers: Readonly<Record<CiProviderName, Provider>> = {
  github: githubProvider,
  gitlab: gitlabProvider,
  circleci: circleciProvider,
  buildkite: buildkiteProvider,
  bitbucket: bitbucketProvider,
};
