// The definition of each CI provider, by name. Pure.

import type { CiProviderName } from "../contract/ci/providers.ts";
import { bitbucket } from "./bitbucket.ts";
import { buildkite } from "./buildkite.ts";
import { circleci } from "./circleci.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import type { ProviderDefinition } from "./provider-definition.ts";

export const providerDefinitions: Readonly<Record<CiProviderName, ProviderDefinition>> = {
  github,
  gitlab,
  circleci,
  buildkite,
  bitbucket,
};
