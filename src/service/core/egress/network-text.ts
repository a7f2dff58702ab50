// The text for an agent about the network that its commands have. Pure.

import { type EgressEntries, hostText } from "../../../contract/egress.ts";
import type { EgressRules } from "./rules.ts";
import type { BlockedHost, EgressBlock } from "./run-egress.ts";

const MAX_HOSTS = 40;
const MAX_BLOCKED = 10;

const reasons: Readonly<Record<EgressBlock, string>> = {
  not_allowed: "not allowed",
  port: "this port is not allowed",
  address: "an address instead of a name",
  private_address: "its address is not public",
  plain_http: "plain http, use https",
  name_mismatch: "TLS for another host",
  not_tls: "not TLS",
  too_many_connections: "too many connections",
  too_many_bytes: "too many bytes",
};

/** A few sentences for the instructions of a run without a network of its own. */
export function networkText(
  { agent }: EgressRules,
  { withheld }: { readonly withheld: EgressEntries },
): string {
  const denied = withheld.length === 0 ? "" : ` Asked for and not allowed: ${withheld.join(", ")}.`;
  if (agent.length === 0) return `Commands have no network: nothing can be downloaded.${denied}`;
  const hosts = agent.slice(0, MAX_HOSTS).map(hostText).join(", ");
  const more = agent.length > MAX_HOSTS ? ` and ${agent.length - MAX_HOSTS} more` : "";
  return `Commands reach these hosts alone, by https, through the proxy that HTTPS_PROXY names: ${hosts}${more}. Names of hosts are not resolved otherwise; every other host is blocked, and trying again does not help.${denied}`;
}

/** Hosts that were blocked between two records, in one line; null where there were none. */
export function blockedText(before: readonly BlockedHost[], after: readonly BlockedHost[]): string | null {
  const known = new Map(before.map(({ host, times }) => [host, times]));
  const fresh = after.filter(({ host, times }) => times > (known.get(host) ?? 0));
  if (fresh.length === 0) return null;
  const hosts = fresh.slice(0, MAX_BLOCKED).map(({ host, reason }) => `${host} (${reasons[reason]})`);
  const more = fresh.length > MAX_BLOCKED ? ` and ${fresh.length - MAX_BLOCKED} more` : "";
  return `blocked by the network policy of this run: ${hosts.join(", ")}${more}`;
}
