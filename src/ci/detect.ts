// Detection of the CI provider that this process runs in, by the variables that each sets in every job. Pure.

import type { Environment } from "../base/environment.ts";
import { type CiProviderName, ciProviderNames, providerTitles } from "../contract/ci/providers.ts";
import type { CiProvider } from "./provider.ts";
import type { ProviderOptions } from "./provider-definition.ts";
import { providerDefinitions } from "./providers.ts";

/** This process runs in no CI job whose identity can be used. The message lists those that can. */
export class NoProviderError extends Error {
  readonly code = "provider_unknown";
  override readonly name = "NoProviderError";
}

/** The provider's name. Throws a NoProviderError for none, for one that cannot be used, and for two at once. */
export function detectProvider(env: Environment): CiProviderName {
  const found = ciProviderNames.filter((name) => providerDefinitions[name].isJob(env));
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only;
  if (only !== undefined) {
    throw new NoProviderError(
      `This job has the variables of ${providerTitles(found)} at once. Unset those of the one that does not run it.`,
    );
  }
  const supported = `Supported are ${providerTitles()}.`;
  if (env.TF_BUILD?.toLowerCase() === "true") {
    throw new NoProviderError(
      `Azure DevOps cannot be used: no job of it can have a token that is made for this service. ${supported}`,
    );
  }
  throw new NoProviderError(`This is no CI job that can prove its identity. ${supported}`);
}

/** The provider of this job, ready to mint. Throws as detectProvider does. */
export function createProvider(options: ProviderOptions): CiProvider {
  return providerDefinitions[detectProvider(options.env)].create(options);
}

/** Whether some CI runs this process, one that is not supported too. Pure. */
export function isInCi(env: Environment): boolean {
  const isSet = (name: string) => !["", "0", "false"].includes((env[name] ?? "").toLowerCase());
  return (
    ["CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION", "BUILD_ID"].some(isSet) ||
    ciProviderNames.some((name) => providerDefinitions[name].isJob(env))
  );
}
