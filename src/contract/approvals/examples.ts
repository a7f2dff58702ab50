// Examples of approvals. Pure.

import type { ExamplesOf } from "../examples.ts";
import { AGENT_ID, APPROVAL_ID, RUN_ID, SCHEDULE_ID } from "../story.ts";
import type { approvalRoutes } from "./routes.ts";

const common = {
  agent_id: AGENT_ID,
  status: "pending" as const,
  created_at: "2026-03-09T10:05:00.000Z",
};
const grant = {
  ...common,
  kind: "grant_writes" as const,
  id: APPROVAL_ID,
  requested_by: { type: "run" as const, run_id: RUN_ID },
  expires_at: "2026-03-16T10:05:00.000Z",
  approve_url: `https://agent-service.example/approve/${APPROVAL_ID}`,
  server: "issues",
  tool: "create_issue",
};
const confirmation = {
  ...common,
  kind: "confirm_schedule" as const,
  id: SCHEDULE_ID,
  requested_by: { type: "ai_client" as const, name: "Desktop assistant" },
  expires_at: "2026-03-10T08:00:00.000Z",
  approve_url: `https://agent-service.example/approve/${SCHEDULE_ID}`,
  schedule_id: SCHEDULE_ID,
  prompt: "Summarise the open pull requests.",
  fire_at: "2026-03-10T08:00:00.000Z",
};
const decided = { decided_at: "2026-03-09T10:06:30.000Z", decided_by: "owner" as const };

export const approvalExamples: ExamplesOf<typeof approvalRoutes> = {
  list: { answers: { 200: { approvalList: { summary: "Two approvals", value: [grant, confirmation] } } } },
  get: {
    answers: { 200: { approval: { summary: "A run wants to write by an MCP server", value: grant } } },
  },
  approve: {
    answers: {
      200: { approvalApproved: { summary: "Approved", value: { ...grant, ...decided, status: "approved" } } },
    },
  },
  deny: {
    answers: {
      200: {
        approvalDenied: { summary: "Denied", value: { ...confirmation, ...decided, status: "denied" } },
      },
    },
  },
};
