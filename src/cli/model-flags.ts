// The flags by which a job gets a token of its model's provider in place of a key.

import type { ValuesOf } from "../base/settings/setting.ts";
import { federationOf } from "../contract/models/federations.ts";
import { audienceKind, byIdentifier, readFederation } from "../federation/federation-settings.ts";
import type { ModelFederation } from "../federation/provider.ts";
import { UsageError, valueFlag } from "./flags.ts";

/** Identifiers, none of them a secret. */
export const federationFlags = {
  ...byIdentifier(({ kind, title, provider }) =>
    valueFlag({
      kind,
      fallback: null,
      takes: "<id>",
      description: `In a CI job, for a model without a key: the ${title} of ${federationOf(provider).title}.`,
      shownDefault: "none",
    }),
  ),
  "model-audience": valueFlag({
    kind: audienceKind,
    fallback: null,
    takes: "<text>",
    description: "With these: what the ID token for the model's provider is made for.",
    shownDefault: "the provider's own",
  }),
};

/** Null where no identifier of a provider is given. Throws UsageError. */
export function readFederationFlags(values: ValuesOf<typeof federationFlags>): ModelFederation | null {
  const problems: string[] = [];
  const federation = readFederation(
    {
      values: byIdentifier((_, name) => values[name]),
      audience: values["model-audience"],
      titleOf: (name) => `--${name}`,
    },
    problems,
  );
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return federation;
}
