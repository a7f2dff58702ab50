// The route of a workspace's address. Pure.

import { defineRoute, nounRoutes } from "../../route.ts";
import { inboundEmailEndpoints } from "./endpoints.ts";

export const inboundEmailRoutes = nounRoutes("inboundEmail", "Workspaces", {
  get: defineRoute(inboundEmailEndpoints.get, {
    summary: "Read the address at which a workspace receives e-mail",
    description: "404 with the code `inbound_email_off`: this service receives no e-mail.",
    scopes: ["workspaces:read"],
    answers: { 200: "The address." },
  }),
});
