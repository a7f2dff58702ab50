// Paths of the authorization server. Pure.

import { resourceMetadataPaths } from "../shared/bearer-challenge.ts";

export const oauthPaths = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  deviceAuthorization: "/oauth/device_authorization",
  jwks: "/oauth/jwks",
  /** Ours: what the command signs in for. */
  key: "/oauth/key",
  consent: "/oauth/consent",
  device: "/device",
} as const;

/** The second is where clients look that take the path of the resource for the issuer's. */
export const metadataPaths = [
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-authorization-server/mcp",
] as const;

/** Everything that this face answers. */
export const oauthFacePaths: readonly string[] = [
  ...metadataPaths,
  ...resourceMetadataPaths,
  "/oauth/*",
  oauthPaths.device,
];
