// Why a session is not found, named or read. Pure.

/** The request names a session to run in. */
export type SessionRefusal =
  | { readonly reason: "session_not_found"; readonly sessionId: string }
  | { readonly reason: "session_named_twice" }
  | { readonly reason: "session_key_in_flight"; readonly key: string };

/** The request names a session to follow. */
export type FollowSessionRefusal =
  | { readonly reason: "session_unknown"; readonly sessionId: string }
  | { readonly reason: "session_of_another"; readonly sessionId: string };
