// What an OAuth access token may be used for. An account's keys have no scopes: they may be used for everything that
// their caller class may do. Pure.

/** The scopes of the API, in the order in which they are shown. */
export const apiScopes = [
  "agents:read",
  "runs:read",
  "runs:write",
  "schedules:write",
  "workspaces:read",
  "workspaces:write",
] as const;
export type ApiScope = (typeof apiScopes)[number];

/** What a client without wishes of its own gets, and what the challenge of the API names. */
export const defaultScopes: readonly ApiScope[] = [
  "agents:read",
  "runs:read",
  "runs:write",
  "schedules:write",
];

/** Asks for a refresh token. */
export const OFFLINE_ACCESS = "offline_access";
