// Examples of members. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { AGENT_ID, MEMBER_ID, WORKSPACE_ID } from "../../story.ts";
import type { memberRoutes } from "./routes.ts";

const member = {
  id: MEMBER_ID,
  workspace_id: WORKSPACE_ID,
  agent_id: AGENT_ID,
  role: "worker" as const,
  created_at: "2026-03-09T10:01:00.000Z",
};

export const memberExamples: ExamplesOf<typeof memberRoutes> = {
  list: {
    answers: { 200: { memberList: { summary: "One member", value: { items: [member], next_cursor: "" } } } },
  },
  add: {
    body: { memberToAdd: { summary: "An agent", value: { agent_id: AGENT_ID } } },
    answers: { 201: { memberAdded: { summary: "It is a member", value: member } } },
  },
  remove: { answers: { 200: { memberRemoved: { summary: "It was a member", value: member } } } },
};
