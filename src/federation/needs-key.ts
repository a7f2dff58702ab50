// Which models' APIs take no request without a key. Pure.

import { federationProviders } from "./providers.ts";

/** The providers' own addresses. */
const hosts: ReadonlySet<string> = new Set([
  ...Object.values(federationProviders).map(({ apiBaseUrl }) => new URL(apiBaseUrl).hostname),
  "generativelanguage.googleapis.com",
]);

/** `baseUrl` null: the provider's own address. Elsewhere nobody can tell: a server of one's own may need none. */
export function needsKey(baseUrl: string | null): boolean {
  return baseUrl === null || hosts.has(new URL(baseUrl).hostname);
}
