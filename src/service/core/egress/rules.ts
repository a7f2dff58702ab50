// Rules for the hosts that a run may reach in each of its phases. Pure.

import { type EgressEntries, type HostEntry, hostText, readHostEntry } from "../../../contract/egress.ts";

/** While what of a run executes. A run's setup ends before its agent begins. */
export const egressPhases = ["setup", "agent"] as const;
export type EgressPhase = (typeof egressPhases)[number];

/** Nothing else can be reached. */
export type EgressRules = Readonly<Record<EgressPhase, readonly HostEntry[]>>;

export const noEgress: EgressRules = { setup: [], agent: [] };

/** Rules that the entries stand for, where `registries` are the package registries. */
export function rulesOf(entries: EgressEntries, registries: readonly HostEntry[]): EgressRules {
  const setup: HostEntry[] = [];
  const agent: HostEntry[] = [];
  for (const entry of entries) {
    const host = readHostEntry(entry);
    const hosts = entry === "setup" || entry === "registries" ? registries : host === null ? [] : [host];
    setup.push(...hosts);
    if (entry !== "setup") agent.push(...hosts);
  }
  return { setup: withoutRepeats(setup), agent: withoutRepeats(agent) };
}

/** Rules that both allow: each host in the narrower of its forms. */
export function intersectRules(one: EgressRules, other: EgressRules): EgressRules {
  return { setup: intersect(one.setup, other.setup), agent: intersect(one.agent, other.agent) };
}

function intersect(some: readonly HostEntry[], others: readonly HostEntry[]): readonly HostEntry[] {
  const common = some.flatMap((one) =>
    others.flatMap((other) => (covers(one, other) ? [other] : covers(other, one) ? [one] : [])),
  );
  return withoutRepeats(common);
}

/** Without those that another one covers. */
function withoutRepeats(hosts: readonly HostEntry[]): readonly HostEntry[] {
  return hosts.filter((host, place) =>
    hosts.every((other, at) => at === place || !covers(other, host) || (covers(host, other) && at > place)),
  );
}

/** True where all that `inner` names is named by `outer`. */
export function covers(outer: HostEntry, inner: HostEntry): boolean {
  if (outer.port !== inner.port) return false;
  if (outer.name === inner.name) return true;
  return outer.name.startsWith("*.") && inner.name.replace(/^\*/, "").endsWith(outer.name.slice(1));
}

/** Whether a host may be reached. Its name is in lower case, without a dot at its end. */
export function allows(hosts: readonly HostEntry[], host: HostEntry): boolean {
  return hosts.some((allowed) => covers(allowed, host));
}

export function hostTexts(hosts: readonly HostEntry[]): readonly string[] {
  return hosts.map(hostText);
}
