// The network grant of a run: its request, within its agent's owner's policy, within the operator's. Pure.

import type { EgressEntries, HostEntry } from "../../../contract/egress.ts";
import { allows, type EgressRules, egressPhases, intersectRules, noEgress, rulesOf } from "./rules.ts";

declare module "../core.ts" {
  interface Policy {
    /** Network access of its runs, at most. */
    readonly egress: EgressCap;
  }
}

/** The cap of a node's operator. */
type EgressCap = {
  readonly entries: EgressEntries;
  /** Hosts that the word `registries` stands for. */
  readonly registries: readonly HostEntry[];
  /** Whether an agent without an owner has no network. */
  readonly needsOwner: boolean;
};

type EgressGrant = {
  readonly rules: EgressRules;
  /** Entries that were asked for and are not, or not wholly, granted. */
  readonly withheld: EgressEntries;
};

type OwnedAgent = {
  /** Null: nobody owns it yet. */
  readonly accountId: string | null;
  /** The owner's policy. Null: the owner has none, and allows what the operator allows. */
  readonly egress: EgressEntries | null;
};

/** `asked` is null where the run names no policy: then it has its owner's, or none. */
export function grantEgress(
  cap: EgressCap,
  { agent, asked }: { readonly agent: OwnedAgent; readonly asked: EgressEntries | null },
): EgressGrant {
  const { registries } = cap;
  const wanted = asked ?? agent.egress ?? [];
  const isRefused = cap.needsOwner && agent.accountId === null;
  const within = isRefused ? noEgress : rulesOf(cap.entries, registries);
  const owners = agent.egress === null ? within : intersectRules(within, rulesOf(agent.egress, registries));
  const rules = intersectRules(owners, rulesOf(wanted, registries));
  const withheld = (asked ?? []).filter((entry) => {
    const whole = rulesOf([entry], registries);
    return egressPhases.some((phase) => !whole[phase].every((host) => allows(rules[phase], host)));
  });
  return { rules, withheld };
}
