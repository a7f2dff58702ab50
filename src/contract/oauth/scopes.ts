// Scopes of OAuth access tokens. An account's keys have no scopes: they may be used for everything that their caller class may
// do. Pure.

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

/** Texts of the scopes, as people read them. */
export const scopeTexts: Readonly<Record<ApiScope, string>> = {
  "agents:read": "See your agents, their schedules and your credits",
  "runs:read": "See runs and what they answered and changed",
  "runs:write": "Start and cancel runs, which cost credits; make, change and retire agents",
  "schedules:write": "Propose schedules, which wait for your confirmation, and cancel schedules",
  "workspaces:read": "Read the files of your workspaces",
  "workspaces:write": "Change the files of your workspaces",
};

/** Scopes of a client without wishes of its own, which the challenge of the API names. */
export const defaultScopes: readonly ApiScope[] = [
  "agents:read",
  "runs:read",
  "runs:write",
  "schedules:write",
];

/** Asks for a refresh token. */
export const OFFLINE_ACCESS = "offline_access";

/** Good for one exchange against an account's key, for the built-in client alone. */
export const KEY_MINT = "key:mint";

/** Scopes of access tokens. */
export const tokenScopes = [...apiScopes, KEY_MINT] as const;
export type TokenScope = (typeof tokenScopes)[number];
