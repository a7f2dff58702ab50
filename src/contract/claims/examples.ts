// Examples of claims. Credentials are cut short. Pure.

import type { ExamplesOf } from "../examples.ts";
import { AGENT_ID, repository } from "../story.ts";
import type { claimRoutes } from "./routes.ts";

export const claimExamples: ExamplesOf<typeof claimRoutes> = {
  create: {
    body: { claimRepository: { summary: "The last part of a claim link", value: { claim: "svc_claim_…" } } },
    answers: {
      200: {
        claimAccepted: {
          summary: "The agent is this account's",
          value: { repository, agent_id: AGENT_ID, status: "claimed", expires_at: null },
        },
      },
      202: {
        claimPending: {
          summary: "The repository has not accepted it yet",
          value: {
            repository,
            agent_id: AGENT_ID,
            status: "pending",
            expires_at: "2026-03-16T10:00:00.000Z",
          },
        },
      },
    },
  },
};
