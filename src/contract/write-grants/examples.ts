// Examples of write grants. Pure.

import type { ExamplesOf } from "../examples.ts";
import { AGENT_ID } from "../story.ts";
import type { writeGrantRoutes } from "./routes.ts";

const grant = { agent_id: AGENT_ID, server: "issues", granted_at: "2026-03-09T10:06:30.000Z" };

export const writeGrantExamples: ExamplesOf<typeof writeGrantRoutes> = {
  list: { answers: { 200: { writeGrants: { summary: "One server", value: [grant] } } } },
  put: { answers: { 200: { writeGrantsPut: { summary: "Granted", value: [grant] } } } },
  delete: { answers: { 200: { writeGrantsLeft: { summary: "None is left", value: [] } } } },
};
