// The address at which a workspace receives e-mail. This service receives none. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object } from "../field.ts";
import { accounts, defineRoute, nounRoutes } from "../route.ts";

export const inboundEmailSchema = object({ address: field(z.email(), "The address.") });

export const inboundEmailComponents: Components = {
  InboundEmail: component(inboundEmailSchema, "Where a workspace receives e-mail."),
};

export const inboundEmailRoutes = nounRoutes("inboundEmail", "Workspaces", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/inbound-email", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: inboundEmailSchema,
    summary: "Read the address at which a workspace receives e-mail",
    description: "404 with the code `inbound_email_off`: this service receives no e-mail.",
    scopes: ["workspaces:read"],
    answers: { 200: "The address." },
  }),
});

export const inboundEmailExamples: ExamplesOf<typeof inboundEmailRoutes> = {
  get: {
    answers: {
      200: { inboundEmail: { summary: "An address", value: { address: "hello-world@mail.example.com" } } },
    },
  },
};
