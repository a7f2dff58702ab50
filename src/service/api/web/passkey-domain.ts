// The domain that passkeys are for, which is that of the pages; and their verification, which is loaded at the first one.

import type { Core } from "../../core/core.ts";

const IP_ADDRESS = /^[\d.]+$|^\[/;

/** The domain that passkeys are for. Null where the pages have none: browsers make no passkey for an IP address. */
export function passkeyDomain({ policy }: Core): string | null {
  const { hostname, protocol } = new URL(policy.webUrl);
  if (IP_ADDRESS.test(hostname)) return null;
  return protocol === "https:" || hostname === "localhost" ? hostname : null;
}

/** Its library is larger than all the pages. */
export async function loadCeremony(): Promise<typeof import("./passkey-ceremony.ts")> {
  return await import("./passkey-ceremony.ts");
}
