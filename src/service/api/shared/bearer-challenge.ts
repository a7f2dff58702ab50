// The header WWW-Authenticate of an answer that wants another bearer token: RFC 6750, and where RFC 9728 tells a client
// how to get one. Pure.

import { defaultScopes, type TokenScope } from "../../../contract/oauth/scopes.ts";
import { baseAskedBy } from "../../core/oauth/resource.ts";

/** Paths of the metadata of the protected resource. The same document is at both places. */
export const resourceMetadataPaths = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
] as const;

type BearerChallenge = {
  /** The operator's. */
  readonly baseUrl: string;
  /** The header Host of the request. */
  readonly host: string | undefined;
  /** Scopes that the token must have. Left out: what most clients need. */
  readonly scope?: readonly TokenScope[];
  /** Left out where the request had no token. */
  readonly error?: "invalid_token" | "insufficient_scope";
};

/** The value of WWW-Authenticate. */
export function challengeOf({ baseUrl, host, scope = defaultScopes, error }: BearerChallenge): string {
  const parameters = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    `resource_metadata="${baseAskedBy(baseUrl, host)}${resourceMetadataPaths[1]}"`,
    `scope="${scope.join(" ")}"`,
  ];
  return `Bearer ${parameters.join(", ")}`;
}
