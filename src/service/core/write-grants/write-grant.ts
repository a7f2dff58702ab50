// The owner's word that an agent's runs may change something by the tools of an MCP server. Pure.

/** In the place of a server's name: all of them. */
export const EVERY_SERVER = "*";

export type WriteGrant = {
  /** A server's name, or EVERY_SERVER. */
  readonly server: string;
  readonly grantedAt: number;
};

export function isGranted(grants: readonly WriteGrant[], server: string): boolean {
  return grants.some((grant) => grant.server === server || grant.server === EVERY_SERVER);
}
