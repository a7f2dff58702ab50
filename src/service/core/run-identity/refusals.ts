// Refusals of an ID token of a run, and their problems. Pure.

import { conflict, forbidden, invalidRequest, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

export const runIdentityProblems = {
  run_identity_off: () =>
    conflict(
      "run_identity_off",
      "This service vouches for no run: its operator has set no RUN_SECRETS_KEY, which seals the key that signs.",
    ),
  run_identity_sealed: () =>
    conflict(
      "run_identity_off",
      "This service cannot open the key that signs: another RUN_SECRETS_KEY has sealed it. Its operator gives the earlier one as RUN_SECRETS_PREVIOUS_KEY.",
    ),
  run_not_at_work: ({ runId, status }: { runId: string; status: string }) =>
    conflict("run_not_at_work", `Run ${runId} is ${status}: only a run that is at work gets an ID token.`),
  run_tokens_reached: ({ runId, allowed }: { runId: string; allowed: number }) => ({
    status: 429,
    code: "capacity_reached",
    message: `Run ${runId} has had ${allowed} ID tokens, and gets no more from this worker. Ask once for each use.`,
  }),
  audience_not_granted: ({ audience, agentId }: { audience: string; agentId: string }) =>
    forbidden(
      `Runs of agent ${agentId} get no ID token for "${audience}": its owner has not granted it. PUT /v1/agents/${agentId}/audiences does.`,
    ),
  run_untrusted: ({ audience, agentId }: { audience: string; agentId: string }) =>
    forbidden(
      `This run gets no ID token for "${audience}": others than writers of the repository can have a say in it. The owner of agent ${agentId} can grant it with "allows_untrusted".`,
    ),
  audiences_reached: ({ agentId, allowed }: { agentId: string; allowed: number }) =>
    invalidRequest(`Agent ${agentId} may have ${allowed} audiences at most. Revoke one first.`),
} satisfies ProblemTable;

type Problems = typeof runIdentityProblems;
/** Of a change of an agent's audiences. */
export type AudiencesRefusal = RefusalOf<Problems, "audiences_reached">;
/** Of a token. */
export type RunIdentityRefusal = RefusalOf<Problems, Exclude<keyof Problems, "audiences_reached">>;
