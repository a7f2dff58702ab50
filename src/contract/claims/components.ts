// What the fields of claims mean. Pure.

import { type Components, component } from "../component.ts";
import { claimRequestSchema, claimResponseSchema } from "./claim.ts";

export const claimComponents: Components = {
  ClaimRequest: component(claimRequestSchema, "A claim link's token.", {
    claim: "The last part of a claim URL.",
  }),
  ClaimResponse: component(claimResponseSchema, "How the claim stands.", {
    repository: "The repository whose agent is claimed.",
    agent_id: "The repository's agent.",
    status: "`pending` until a job of the repository names the account.",
    expires_at: "Until when the repository can accept the claim; null once it is claimed.",
  }),
};
