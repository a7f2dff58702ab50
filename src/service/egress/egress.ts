// Network access of a node's runs, by the operator's settings.

import type { EgressProvider } from "../core/egress/run-egress.ts";
import type { EgressConfig } from "./egress-config.ts";
import { type ResolveName, systemResolver } from "./resolve-name.ts";
import { openRunEgress, type RunEgressOptions } from "./run-egress.ts";

type EgressParts = {
  readonly config: Pick<EgressConfig, "privateHosts" | "maxBytes">;
  readonly folders: RunEgressOptions["folders"];
  /** Default: the system's resolver. */
  readonly resolve?: ResolveName;
};

export function egressProvider({ config, folders, resolve = systemResolver() }: EgressParts): EgressProvider {
  const { privateHosts, maxBytes } = config;
  return { open: ({ rules }) => openRunEgress({ rules, privateHosts, maxBytes, folders, resolve }) };
}
