// Whom a request came from, for rate limits, for every transport. Pure.

const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const WITH_PORT = /^(?:\[(.+)\]|(\d+\.\d+\.\d+\.\d+)):\d+$/;

/**
 * The peer's address; or, behind `trustedHops` proxies of the operator's, the address that the outermost of them saw.
 * What a client itself wrote into X-Forwarded-For is never used. An IPv6 address counts by its /64, which one
 * subscriber has to itself.
 */
export function clientAddress(
  request: { peer: string | undefined; forwardedFor: string | undefined },
  trustedHops: number,
): string {
  const { peer = "unknown", forwardedFor = "" } = request;
  if (trustedHops === 0) return networkOf(peer);
  const hops = forwardedFor.split(",").map((hop) => hop.trim());
  return networkOf(hops.at(-trustedHops) || peer);
}

/** The network that is limited as one: an IPv4 address, the first half of an IPv6 address, any other text as it is. */
function networkOf(text: string): string {
  const [, bracketed, ipv4] = WITH_PORT.exec(text) ?? [];
  const address = bracketed ?? ipv4 ?? text;
  const embedded = IPV4_IN_IPV6.exec(address)?.[1];
  if (embedded !== undefined) return embedded;
  return address.includes(":") ? `${firstGroups(address).join(":")}::/64` : address;
}

/** The first four groups, each without leading zeros. */
function firstGroups(address: string): string[] {
  const [head = "", tail] = address.toLowerCase().split("::", 2);
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ""));
}

/** An IPv4 address at the end stands for two groups. */
function groupsOf(text: string): string[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => (group.includes(".") ? ["v4", "v4"] : [group]));
}
