// Decides whether an address is on the public internet, not of this machine, its network or its cloud provider. Pure.

import { BlockList, isIP } from "node:net";

/** IANA's special-purpose registries (RFC 6890), and the metadata addresses of clouds. */
const reserved4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // Azure's host agent: the address looks public.
  ["168.63.129.16", 32],
];

/** The allocated part of IPv6. IPv4-mapped and NAT64 addresses lie outside of it. */
const GLOBAL_6 = ["2000::", 3] as const;
/** Special purposes within it: Teredo and 6to4 carry IPv4 addresses. */
const reserved6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const blocked4 = new BlockList();
for (const [net, prefix] of reserved4) blocked4.addSubnet(net, prefix, "ipv4");
const global6 = new BlockList();
global6.addSubnet(...GLOBAL_6, "ipv6");
const blocked6 = new BlockList();
for (const [net, prefix] of reserved6) blocked6.addSubnet(net, prefix, "ipv6");

/** False for a text that is not an address, too. */
export function isPublicAddress(address: string): boolean {
  if (address.includes("%")) return false;
  switch (isIP(address)) {
    case 4:
      return !blocked4.check(address, "ipv4");
    case 6:
      return global6.check(address, "ipv6") && !blocked6.check(address, "ipv6");
    default:
      return false;
  }
}
