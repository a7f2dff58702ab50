// Models' APIs that take no request without a key. Pure.

import { providerAt } from "../contract/models/providers.ts";

/** `baseUrl` null: the provider's own address. Elsewhere nobody can tell: a server of one's own may need none. */
export function needsKey(baseUrl: string | null): boolean {
  return baseUrl === null || providerAt(baseUrl) !== null;
}
