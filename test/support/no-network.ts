// What a run reaches of the network in tests that are about something else: nothing.

import { noEgress } from "../../src/service/core/egress/rules.ts";
import type { EgressProvider } from "../../src/service/core/egress/run-egress.ts";
import { egressProvider } from "../../src/service/egress/egress.ts";

function refuse(): Promise<never> {
  return Promise.reject(new Error("A run without a network needs no socket and resolves no name."));
}

export const noNetworkProvider: EgressProvider = egressProvider({
  config: { privateHosts: [], maxBytes: 1 },
  folders: { make: refuse, remove: refuse },
  resolve: refuse,
});

export const noNetwork = {
  egress: noNetworkProvider.open({ runId: "run-1", rules: noEgress }),
  withheld: [],
} as const;
