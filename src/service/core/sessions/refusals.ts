// Refusals to find, name or read a session, and their problems. Pure.

import { forbidden, invalidRequest, notFound, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

export const sessionProblems = {
  session_not_found: ({ sessionId }: { sessionId: string }) =>
    notFound(`Agent has no session "${sessionId}". Leave session_id out to start a new one.`),
  session_named_twice: () =>
    invalidRequest(
      '"session_id" and "session_key" both name a session. Send one of them: the id of a session that is there, or a key of your own.',
    ),
  session_key_in_flight: ({ key }: { key: string }) => ({
    status: 409,
    code: "session_key_in_flight",
    message: `Session key "${key}" is being taken by another request. Send this one again in a moment.`,
    retryAfterSeconds: 2,
  }),
  session_unknown: ({ sessionId }: { sessionId: string }) => notFound(`There is no session ${sessionId}.`),
  session_of_another: ({ sessionId }: { sessionId: string }) =>
    forbidden(`Session ${sessionId} belongs to an agent that this credential may not use.`),
} satisfies ProblemTable;

/** The request names a session to run in. */
export type SessionRefusal = RefusalOf<
  typeof sessionProblems,
  "session_not_found" | "session_named_twice" | "session_key_in_flight"
>;

/** The request names a session to follow. */
export type FollowSessionRefusal = RefusalOf<
  typeof sessionProblems,
  "session_unknown" | "session_of_another"
>;
