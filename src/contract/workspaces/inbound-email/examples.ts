// Examples of a workspace's address. Pure.

import type { ExamplesOf } from "../../examples.ts";
import type { inboundEmailRoutes } from "./routes.ts";

export const inboundEmailExamples: ExamplesOf<typeof inboundEmailRoutes> = {
  get: {
    answers: {
      200: { inboundEmail: { summary: "An address", value: { address: "hello-world@mail.example.com" } } },
    },
  },
};
