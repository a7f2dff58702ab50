// Why a session is not found, named or read, and what its caller is told. Pure.

import { forbidden, invalidRequest, notFound, type ProblemsOf } from "../ports/problem.ts";

/** The request names a session to run in. */
export type SessionRefusal =
  | { readonly reason: "session_not_found"; readonly sessionId: string }
  | { readonly reason: "session_named_twice" }
  | { readonly reason: "session_key_in_flight"; readonly key: string };

/** The request names a session to follow. */
export type FollowSessionRefusal =
  | { readonly reason: "session_unknown"; readonly sessionId: string }
  | { readonly reason: "session_of_another"; readonly sessionId: string };

export const sessionProblems: ProblemsOf<SessionRefusal | FollowSessionRefusal> = {
  session_not_found: ({ sessionId }) =>
    notFound(`Agent has no session "${sessionId}". Leave session_id out to start a new one.`),
  session_named_twice: () =>
    invalidRequest(
      '"session_id" and "session_key" both name a session. Send one of them: the id of a session that is there, or a key of your own.',
    ),
  session_key_in_flight: ({ key }) => ({
    status: 409,
    code: "session_key_in_flight",
    message: `Session key "${key}" is being taken by another request. Send this one again in a moment.`,
    retryAfterSeconds: 2,
  }),
  session_unknown: ({ sessionId }) => notFound(`There is no session ${sessionId}.`),
  session_of_another: ({ sessionId }) =>
    forbidden(`Session ${sessionId} belongs to an agent that this credential may not use.`),
};
