// The route of a workspace's address. Pure.

import { accounts, defineRoute, nounRoutes } from "../../route.ts";
import { inboundEmailSchema } from "./inbound-email.ts";

export const inboundEmailRoutes = nounRoutes("inboundEmail", "Workspaces", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/inbound-email", {
    callers: accounts,
    repeat: "safe",
    answer: inboundEmailSchema,
    summary: "Read the address at which a workspace receives e-mail",
    description: "404 with the code `inbound_email_off`: this service receives no e-mail.",
    scopes: ["workspaces:read"],
    answers: { 200: "The address." },
  }),
});
